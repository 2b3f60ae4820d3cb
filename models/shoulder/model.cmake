# The right shoulder.
sinew_model_output(shoulder shoulder.muscle.xml WITH shoulder.scene.xml PROGRAM shoulder INPUTS *.tsv)
sinew_model_file(shoulder demo.txt)
sinew_model_file(shoulder motions/*)
