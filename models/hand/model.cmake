# The right hand, its mirror image, and two variants that are not built by default: one whose extensor hoods branch
# (ninja hand-hood), one whose strands are splines (ninja hand-splines).
set(tables bones.tsv joints.tsv muscles.tsv points.tsv surfaces.tsv bellies.tsv skin_sections.tsv shapes.tsv)
foreach(name hand hand-left)
  set(side)
  if(name STREQUAL "hand-left")
    set(side --left)
  endif()
  sinew_model_output(${name} skin.ply PROGRAM skin ARGUMENTS ${side} INPUTS skin_*.tsv)
  sinew_model_output(${name} ${name}.muscle.xml WITH ${name}.scene.xml PROGRAM hand ARGUMENTS ${side} --skin skin.ply
    INPUTS ${tables} AFTER skin.ply)
  sinew_model_file(${name} moment_arms.tsv)
  sinew_model_file(${name} model_arms.tsv)
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

sinew_model_output(hand-splines hand-splines.muscle.xml WITH hand-splines.scene.xml PROGRAM hand ARGUMENTS --splines
  INPUTS ${tables} OPTIONAL)
sinew_model_file(hand-splines motions/* OPTIONAL)
sinew_model_file(hand-splines moment_arms.tsv OPTIONAL)
sinew_model_file(hand-splines hand.bvhmap AS hand-splines.bvhmap OPTIONAL)
