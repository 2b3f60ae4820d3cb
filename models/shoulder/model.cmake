# The right shoulder.
set(tables bones.tsv joints.tsv landmarks.tsv surfaces.tsv muscles.tsv strands.tsv ligaments.tsv functions.tsv shapes.tsv
  ../body/shapes.tsv ../body/survey/*.tsv)
sinew_model_output(shoulder shoulder.muscle.xml WITH shoulder.scene.xml PROGRAM shoulder INPUTS ${tables})
sinew_model_file(shoulder moment_arms.tsv)
sinew_model_file(shoulder demo.txt)
sinew_model_file(shoulder shoulder.bvhmap)
sinew_model_file(shoulder motions/*)
