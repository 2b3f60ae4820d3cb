# The upper body.
sinew_model_output(body body.muscle.xml WITH body.scene.xml PROGRAM upper_body INPUTS *.tsv survey/*.tsv)
sinew_model_file(body demo.txt)
sinew_model_file(body motions/*)
