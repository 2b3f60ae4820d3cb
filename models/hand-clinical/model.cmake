# The hand on a tree, from its own tables and those of the hand. It follows the motions of the hand, and some of its own. A variant that is
# not built by default has muscles that are taut from their optimal length on (ninja hand-clinical-taut).
set(tables *.tsv ../hand/bones.tsv ../hand/joints.tsv ../hand/muscles.tsv ../hand/points.tsv ../hand/surfaces.tsv ../hand/shapes.tsv)
sinew_model_output(hand-clinical hand-clinical.muscle.xml WITH hand-clinical.scene.xml PROGRAM clinical INPUTS ${tables})
sinew_model_output(hand-clinical-taut hand-clinical-taut.muscle.xml WITH hand-clinical-taut.scene.xml PROGRAM clinical ARGUMENTS --taut
  INPUTS ${tables} OPTIONAL)
sinew_model_file(hand-clinical motions/*)
file(GLOB shared CONFIGURE_DEPENDS models/hand/motions/*)
foreach(motion IN LISTS shared)
  get_filename_component(file ${motion} NAME)
  configure_file(${motion} ${MODEL_FOLDER}/hand-clinical/motions/${file} COPYONLY)
endforeach()
configure_file(models/hand/hand.bvhmap ${MODEL_FOLDER}/hand-clinical/hand-clinical.bvhmap COPYONLY)
