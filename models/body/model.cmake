# The upper body.
sinew_model_output(body skin.ply PROGRAM skin ARGUMENTS --triangles 20000 INPUTS skin_*.tsv)
sinew_model_output(body body.muscle.xml WITH body.scene.xml PROGRAM upper_body ARGUMENTS --skin skin.ply INPUTS *.tsv survey/*.tsv
  AFTER skin.ply)
sinew_model_file(body demo.txt)
sinew_model_file(body body.bvhmap)
sinew_model_file(body motions/*)
sinew_model_file(body strength.tsv)
