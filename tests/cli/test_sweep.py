"""`sinew sweep` from end to end: its tables against the draws, the same result however it is run (several processes, after
interruptions, as tasks of a job array run by hand or by Slurm itself), and what it refuses."""
import csv
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from common import SINEW, Case

RESULTS = ("sweep.tsv", "muscles.tsv", "histogram.svg")


class Slurm:
    """A controller, a node and munge of our own, with everything in one folder. None of it needs a service of the system."""

    PROGRAMS = ("sbatch", "squeue", "slurmctld", "slurmd", "munged", "scontrol")

    @classmethod
    def missing(cls):
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        return [name for name in cls.PROGRAMS if not shutil.which(name, path=path)] or (os.geteuid() != 0 and ["root"])

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sinew-slurm-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.processes = []
        self.environment = dict(os.environ, SLURM_CONF=self.at("slurm.conf"),
                                PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def at(self, name):
        return os.path.join(self.folder, name)

    def start(self, *command):
        with open(self.at(os.path.basename(command[0]) + ".out"), "wb") as log:
            self.processes.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def run(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)

    def up(self):
        """Whether the node takes work."""
        os.mkdir(self.at("munge"))
        with open(self.at("munge/key"), "wb") as file:
            os.fchmod(file.fileno(), 0o400)
            file.write(os.urandom(128))
        munge = self.at("munge/socket")
        self.start("munged", "--foreground", "--force", "--key-file=" + self.at("munge/key"), "--socket=" + munge,
                   "--pid-file=" + self.at("munge/pid"), "--log-file=" + self.at("munge/log"),
                   "--seed-file=" + self.at("munge/seed"))
        ports = []
        for _ in range(2):
            with socket.socket() as link:
                link.bind(("127.0.0.1", 0))
                ports.append(link.getsockname()[1])
        host = socket.gethostname().split(".")[0]
        with open(self.at("slurm.conf"), "w") as file:
            file.write(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
StateSaveLocation={self.at('state')}
SlurmdSpoolDir={self.at('spool')}
SlurmctldPidFile={self.at('ctld.pid')}
SlurmdPidFile={self.at('d.pid')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count() or 1} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        for name in ("state", "spool"):
            os.mkdir(self.at(name))
        self.wait(lambda: os.path.exists(munge), 10)
        self.start("slurmctld", "-D", "-f", self.at("slurm.conf"))
        self.start("slurmd", "-D", "-f", self.at("slurm.conf"), "-N", host)
        return self.wait(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T").stdout, 40)

    @staticmethod
    def wait(true, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if true():
                return True
            time.sleep(0.2)
        return False

    def said(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".out"):
                with open(self.at(name), errors="replace") as file:
                    text += f"---- {name}\n{file.read()[-1500:]}\n"
        return text

    def down(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Sweep(Case):
    def setUp(self):
        super().setUp()
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n0.5,20\n1,5\n")

    def command(self, out, *more, draws=4, vary=("pcsa=5%",)):
        words = ["sweep", "finger", "bend.pose.csv", "--draws", str(draws), "-o", out]
        for word in vary:
            words += ["--vary", word]
        return [*words, *more]

    def table(self, name):
        with open(self.path(name)) as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def results(self, out):
        return {name: self.read(os.path.join(out, name)) for name in RESULTS}

    def activations(self, path):
        names, rows = self.read_sto(path)
        columns = [i for i, name in enumerate(names) if name.startswith("activation/") or name.endswith("activation")]
        return [names[i] for i in columns], [[row[i] for i in columns] for row in rows]

    def test_tables_are_what_the_draws_say(self):
        said = self.json(*self.command("out", vary=("pcsa=20%", "mass=10%")))
        self.assertEqual((said["draws"], said["finished"], said["diverged"]), (4, 5, 0))
        rows = self.table("out/sweep.tsv")
        self.assertEqual([row["draw"] for row in rows], ["0", "1", "2", "3", "4"])
        self.assertEqual({row["state"] for row in rows}, {"finished"})
        names, reference = self.activations("out/0000.sto")
        active = [i for i in range(len(names)) if max(row[i] for row in reference) >= 0.01]
        self.assertEqual(said["active_muscles"], len(active))
        sums = [0.0] * len(names)
        for row in rows:
            _, draw = self.activations(f"out/{int(row['draw']):04d}.sto")
            self.assertEqual(len(draw), len(reference))
            means = [sum(abs(a[i] - b[i]) for a, b in zip(draw, reference)) / len(reference) for i in range(len(names))]
            self.assertAlmostEqual(float(row["mean_change"]), sum(means[i] for i in active) / len(active), delta=2e-6)
            below = sum(means[i] < 0.03 for i in active) / len(active)
            self.assertAlmostEqual(float(row["share_below_0.03"]), below, delta=1e-5)
            sums = [a + b for a, b in zip(sums, means)]
            with open(self.path(f"out/{int(row['draw']):04d}.json")) as file:
                self.assertIn(row["mean_error_mm"], file.read())
        muscles = self.table("out/muscles.tsv")
        self.assertEqual(len(muscles), len(names))
        for i, muscle in enumerate(muscles):
            self.assertIn(muscle["muscle"], names[i])
            self.assertAlmostEqual(float(muscle["mean_change"]), sums[i] / 4, delta=2e-6)
        self.assertGreater(max(float(m["mean_change"]) for m in muscles), 1e-4, "something was varied")
        self.assertIn("<svg", self.read("out/histogram.svg"))
        self.assertEqual(float(rows[0]["mean_change"]), 0)

    def test_a_draw_is_a_run_of_track(self):
        self.sinew(*self.command("out", "--seed", "9"))
        self.sinew("track", "finger", "bend.pose.csv", "-o", "plain", "--replay", "bin")
        self.sinew("track", "finger", "bend.pose.csv", "-o", "third", "--replay", "bin", "--vary", "pcsa=5%", "--seed", "9",
                   "--draw", "3")
        for ours, theirs in (("plain", "0000"), ("third", "0003")):
            self.assertEqual(self.read(ours + ".sto"), self.read(f"out/{theirs}.sto"))
        self.assertNotEqual(self.read("plain.sto"), self.read("third.sto"))
        self.sinew(*self.command("other", "--seed", "10"))
        self.assertEqual(self.read("out/0000.sto"), self.read("other/0000.sto"))
        self.assertNotEqual(self.read("out/0001.sto"), self.read("other/0001.sto"))

    def test_processes_do_not_matter_and_draws_may_grow(self):
        self.sinew(*self.command("one", "--jobs", "1"))
        self.sinew(*self.command("two", "--jobs", "3", draws=2))
        before = os.stat(self.path("two/0001.sto")).st_mtime_ns
        self.sinew(*self.command("two", "--jobs", "3", "--resume"))
        self.assertEqual(os.stat(self.path("two/0001.sto")).st_mtime_ns, before, "what is finished is not run again")
        self.assertEqual(self.results("one"), self.results("two"))

    def test_an_interrupted_sweep_continues(self):
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n2,20\n6,5\n")
        self.sinew(*self.command("whole"))
        process = subprocess.Popen([SINEW, *self.command("out", "--jobs", "2")], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertTrue(Slurm.wait(lambda: os.path.exists(self.path("out/0001.resume")), 60))
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        _, text = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(process.returncode, 1)
        self.assertIn("--resume to continue", text)
        self.assertFalse(os.path.exists(self.path("out/sweep.tsv")))
        self.sinew(*self.command("out"), code=3)  # nothing is lost by forgetting --resume
        self.sinew(*self.command("out", "--resume"))
        self.assertEqual(self.results("out"), self.results("whole"))
        left = {name.split(".", 1)[1] for name in os.listdir(self.path("out")) if name[0] == "0"}
        self.assertEqual(left, {"json", "log", "replay.bin", "report.txt", "sto"})

    def test_killing_it_kills_its_draws(self):
        self.write("bend.pose.csv", "time,PIP.flexion\n0,0\n20,20\n60,5\n")
        process = subprocess.Popen([SINEW, *self.command("out", "--jobs", "2")], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.assertTrue(Slurm.wait(lambda: os.path.exists(self.path("out/0001.resume")), 60))
        process.kill()
        process.wait()

        def running():
            found = []
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cwd/../{os.path.basename(self.folder)}/bend.pose.csv"), \
                            open(f"/proc/{pid}/cmdline", "rb") as file:
                        if b"bend.pose.csv" in file.read() and os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(self.folder):
                            found.append(pid)
                except OSError:
                    pass
            return found
        self.assertTrue(Slurm.wait(lambda: not running(), 5), running())

    def test_a_job_array_run_as_slurm_would(self):
        self.sinew(*self.command("whole"))
        said = self.json(*self.command("out", "--slurm", "job.sbatch"))
        self.assertEqual(said["tasks"], 5)
        script = self.read("job.sbatch")
        self.assertIn("#SBATCH --array=0-4\n", script)
        other = tempfile.mkdtemp(prefix="it's elsewhere ")
        self.addCleanup(shutil.rmtree, other)
        for task in (3, 0, 4):
            self.run_task(script, task, other)
        result = self.sinew(*self.command("out", "--gather"), code=1)
        self.assertIn("2 of 5 draws are missing", result.stderr)
        self.assertEqual([row["state"] for row in self.table("out/sweep.tsv")],
                         ["finished", "missing", "missing", "finished", "finished"])
        for task in (1, 2, 3):  # one of them once more: it has nothing to do
            self.run_task(script, task, other)
        self.sinew(*self.command("out", "--gather"))
        self.assertEqual(self.results("out"), self.results("whole"))

    def run_task(self, script, task, folder):
        environment = dict(os.environ, SLURM_ARRAY_TASK_ID=str(task), SLURM_JOB_ID="7", SLURM_ARRAY_JOB_ID="7")
        result = subprocess.run(["sh", "-s"], input=script, cwd=folder, env=environment, capture_output=True, text=True,
                                timeout=100)
        self.assertEqual(result.returncode, 0, result.stderr)

    @unittest.skipIf(Slurm.missing(), f"no Slurm to start here: {Slurm.missing()}")
    def test_a_job_array_run_by_slurm(self):
        slurm = Slurm()
        self.addCleanup(slurm.down)
        if not slurm.up():
            self.skipTest("a Slurm of our own does not come up here:\n" + slurm.said())
        self.sinew(*self.command("whole"))
        self.sinew(*self.command("out", "--slurm", "job.sbatch"))
        result = slurm.run("sbatch", "--parsable", self.path("job.sbatch"))
        self.assertEqual(result.returncode, 0, result.stderr)
        job = result.stdout.strip().split(";")[0]
        done = slurm.wait(lambda: not slurm.run("squeue", "-h", "-j", job, "-o", "%i %T").stdout.strip(), 100)
        self.assertTrue(done, slurm.run("squeue").stdout + slurm.said())
        self.assertTrue(slurm.wait(lambda: os.path.exists(self.path("out/0004.json")), 5),
                        str(os.listdir(self.path("out"))) + slurm.said())
        self.sinew(*self.command("out", "--gather"))
        self.assertEqual(self.results("out"), self.results("whole"))
        print(f"\njob {job} of {slurm.run('sbatch', '--version').stdout.strip()} ran 5 tasks")

    def test_refusals(self):
        for words, message in ((["sweep", "finger", "bend.pose.csv", "-o", "out"], "--vary WHAT=PERCENT is missing"),
                               (self.command("out", vary=("width=5%",)), "pcsa, via, fiber"),
                               (self.command("out", vary=("pcsa=100%",)), "less than 100%"),
                               (self.command("out", vary=("pcsa=x",)), "pcsa=x"),
                               (self.command("out", vary=("pcsa=1%", "pcsa=2%")), "given twice"),
                               (self.command("out", "--task", "5"), "0 to 4"),
                               (["sweep", "finger", "bend.pose.csv", "--vary", "pcsa=5%"], "-o OUT is missing")):
            self.assertIn(message, self.sinew(*words, code=2).stderr)
        self.sinew(*self.command("out", "--gather"), code=3)
        self.assertIn("nowhere", self.sinew(*self.command("nowhere/out"), code=1).stderr)
        for quiet in (["--quiet"], []):
            said = self.sinew("sweep", "finger", "none.csv", "--vary", "pcsa=5%", "-o", "new", *quiet, code=1).stderr
            self.assertRegex(said, "draw 0, the unchanged model, failed: .*none.csv")
        self.sinew("sweep", "finger", "bend.pose.csv", "--vary", "pcsa=5%", "--draws", "1", "-o", "new")
        result = self.sinew("sweep", "finger", "bend.pose.csv", "--vary", "pcsa=6%", "--draws", "1", "-o", "new", "--resume",
                            code=3)
        self.assertIn("pcsa was 0.05, now 0.06", result.stderr)

    def test_clinical_hand(self):
        """A model on a tree goes the same way."""
        self.sinew("sweep", "hand-clinical", "point", "--vary", "pcsa=5%", "--vary", "via=1%", "--draws", "2", "-o", "out")
        rows = self.table("out/sweep.tsv")
        self.assertEqual([row["state"] for row in rows], ["finished"] * 3)
        self.assertGreater(float(rows[1]["mean_change"]), 0)

    def test_tendons_close_to_bones(self):
        """A shift of a path into the surface that it wraps over is turned to the other side, so that every draw is a model."""
        self.sinew("sweep", "hand", "fist", "--vary", "via=0.3%", "--draws", "4", "--end", "0.04", "-o", "out")
        rows = self.table("out/sweep.tsv")
        self.assertEqual([row["state"] for row in rows], ["finished"] * 5)
        self.assertTrue(all(float(row["mean_change"]) > 0 for row in rows[1:]))


if __name__ == "__main__":
    unittest.main()
