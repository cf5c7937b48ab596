// What the images of engines are: where the programs are in them, and who runs them.

export interface EngineImage {
  /** Complete, with the host of its registry. */
  readonly reference: string;
  /** The folder of the installation, as the official archive has it. */
  readonly home: string;
  readonly java: string;
  /** A number, so that Kubernetes can verify that it is not root. Some engines want it to have a name in the image. */
  readonly user: number;
  /** The interpreter of programs in Python. */
  readonly python?: string | undefined;
  /** The folder with the jars that S3 needs. No official image has it. */
  readonly s3a?: string | undefined;
  /** The version that is in it. */
  readonly version: string;
}

/** What the file of images can say of an image, besides what all images have. */
export type ImageExtra = 'python' | 's3a';

/** The images of all engines, by the names that the file of images has for them: one for each release line, the default first. */
export type EngineImages = Readonly<Record<string, readonly EngineImage[]>>;

export interface ImageSource {
  /** In the file of images. */
  readonly name: string;
  /** That of the default version. Those of other versions differ in their references. */
  readonly official: EngineImage;
  /** The official images that clusters can have if no file names others. When absent: the default version. */
  readonly versions?: readonly string[];
  /** Other versions, which only images of the file have: none of the official ones fits. When absent: there are none. */
  readonly unofficial?: readonly string[];
  readonly extras: readonly ImageExtra[];
  /**
   * The official image of another version. Then a cluster keeps the image of its own version when a later service has a newer one. When absent: the
   * clusters of all versions have the same image.
   */
  readonly referenceOf?: (version: string) => string;
}

/** Never empty. Throws unless there is such an image. */
export function imagesOf(images: EngineImages, name: string): readonly [EngineImage, ...EngineImage[]] {
  const [first, ...others] = images[name] ?? [];
  if (first === undefined) throw new Error(`there is no image of ${name}: there are ${Object.keys(images).join(', ')}`);
  return [first, ...others];
}

/** The first one. Throws unless there is such an image. */
export const imageIn = (images: EngineImages, name: string): EngineImage => imagesOf(images, name)[0];
