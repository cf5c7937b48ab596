// Coordinates of packages in Maven repositories, as users name them. PURE.

/** Packages that a job uses. */
export interface PackageSet {
  /** GROUP:ARTIFACT:VERSION, sorted, each once. */
  readonly coordinates: readonly string[];
  /** GROUP:ARTIFACT of what the engine has itself. An artifact can be `*`. */
  readonly provided: readonly string[];
}

const mostCoordinates = 20;
const part = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const form = new RegExp(`^${part}:${part}:${part}$`);

/** Reads a list separated by commas. Throws an Error with the remedy, which does not name the setting, unless it names released versions. */
export function readCoordinates(text: string): readonly string[] {
  // Spark takes both forms.
  const words = text.split(',').map((word) => word.trim().replace('/', ':'));
  const coordinates = [...new Set(words.filter((word) => word !== ''))].toSorted();
  if (coordinates.length > mostCoordinates)
    throw new Error(`which names ${coordinates.length} packages: name ${mostCoordinates} at most`);
  const wrong = coordinates.find((each) => !form.test(each));
  if (wrong !== undefined)
    throw new Error('which is no list of packages: name each as GROUP:ARTIFACT:VERSION, separated by commas');
  const moving = coordinates.find((each) => /:(LATEST|RELEASE|.*-SNAPSHOT)$/i.test(each));
  if (moving !== undefined) throw new Error(`whose ${moving} can change: name a released version`);
  return coordinates;
}
