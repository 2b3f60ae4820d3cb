# The right hand, its mirror image, and a variant whose extensor hoods branch (not built by default: ninja hand-hood).
set(tables bones.tsv joints.tsv muscles.tsv points.tsv surfaces.tsv bellies.tsv skin_sections.tsv)
foreach(name hand hand-left)
  set(side)
  if(name STREQUAL "hand-left")
    set(side --left)
  endif()
  sinew_model_output(${name} skin.ply PROGRAM skin ARGUMENTS ${side} INPUTS skin_*.tsv)
  sinew_model_output(${name} ${name}.muscle.xml WITH ${name}.scene.xml PROGRAM hand ARGUMENTS ${side} --skin skin.ply
    INPUTS ${tables} AFTER skin.ply)
  sinew_model_file(${name} moment_arms.tsv)
  sinew_model_file(${name} demo.txt)
  sinew_model_file(${name} postures.txt)
  sinew_model_file(${name} ${name}.bvhmap)
endforeach()
sinew_model_file(hand motions/*)
sinew_model_file(hand-left motions/* EXCEPT "\\.bvh$") # a BVH of the right arm has no joints of the left one

sinew_model_output(hand-hood hand-hood.muscle.xml WITH hand-hood.scene.xml PROGRAM hand ARGUMENTS --hood
  INPUTS ${tables} hood_*.tsv OPTIONAL)
sinew_model_file(hand-hood motions/* OPTIONAL)
sinew_model_file(hand-hood hand.bvhmap AS hand-hood.bvhmap OPTIONAL)

# The hand whose unbranched tendons are paths: ninja hand-paths.
sinew_model_output(hand-paths hand-paths.muscle.xml WITH hand-paths.scene.xml PROGRAM hand ARGUMENTS --paths
  INPUTS ${tables} OPTIONAL)
sinew_model_file(hand-paths motions/* OPTIONAL)
sinew_model_file(hand-paths moment_arms.tsv OPTIONAL)
sinew_model_file(hand-paths hand.bvhmap AS hand-paths.bvhmap OPTIONAL)
