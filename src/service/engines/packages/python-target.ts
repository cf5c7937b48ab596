// The Python that programs run on, where it is not that of the service: what pip has to know to install packages for it. PURE.

export interface PythonTarget {
  /** For example `3.11.7`. */
  readonly version: string;
  /** For example `x86_64`. */
  readonly machine: string;
  /** The second number of the release of glibc, whose first one is 2. */
  readonly glibc: number;
}

/** A program whose answer `readTarget` reads. */
export const pythonQuestion = `import platform, sys
print("%d.%d.%d" % sys.version_info[:3], sys.implementation.name, platform.machine(), *platform.libc_ver())`;

const answer = /^(3\.\d{1,2}\.\d{1,3}) cpython ([a-z0-9_]{1,20}) glibc 2\.(\d{1,2})(\.\d{1,3})?$/;

/** Throws an Error if there are no wheels for such a Python. */
export function readTarget(text: string): PythonTarget {
  const [, version = '', machine = '', glibc] = answer.exec(text.trim()) ?? [];
  if (glibc !== undefined) return { version, machine, glibc: Number(glibc) };
  throw new Error(`its Python is no CPython 3 with glibc, but ${JSON.stringify(text.trim().slice(0, 80))}`);
}

/** The names that platforms had before those with the release of glibc. */
const older: Readonly<Record<number, string>> = { 17: 'manylinux2014', 12: 'manylinux2010', 5: 'manylinux1' };
/** The oldest glibc that wheels are for. */
const oldest = (machine: string): number => (machine === 'x86_64' ? 5 : 17);

/** Those that it can load libraries for, the best first. */
function platformsOf({ machine, glibc }: PythonTarget): readonly string[] {
  const releases = Array.from({ length: Math.max(0, glibc - oldest(machine) + 1) }, (_, index) => glibc - index);
  const names = releases.flatMap((release) => [`manylinux_2_${release}`, older[release] ?? []].flat());
  return [...names, 'linux'].map((name) => `${name}_${machine}`);
}

/** Flags of pip. */
export function targetFlags(target: PythonTarget): readonly string[] {
  const [major, minor] = target.version.split('.');
  const python = ['--python-version', target.version, '--implementation', 'cp', '--abi', `cp${major}${minor}`];
  return [...python, ...platformsOf(target).flatMap((platform) => ['--platform', platform])];
}

/** Runs pip. With these flags alone, it would still decide by its own Python which packages others need (`; python_version < "3.11"`). */
const pipForTarget = `import runpy, sys
from pip._vendor.packaging import markers
version, machine = sys.argv[1:3]
own = markers.default_environment
target = {
    "python_version": ".".join(version.split(".")[:2]),
    "python_full_version": version,
    "implementation_version": version,
    "platform_machine": machine,
}
markers.default_environment = lambda: {**own(), **target}
sys.argv[:3] = ["pip"]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

/** What Python is called with to run pip. When absent: for this Python itself. */
export const pipFor = (target: PythonTarget | undefined): readonly string[] =>
  target === undefined ? ['-m', 'pip'] : ['-c', pipForTarget, target.version, target.machine];
