// Reads YAML as kubectl does, which is not YAML 1.2. PURE.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  Scalar,
} from 'yaml';
import { plainScalar, taggedScalar, type Scalar as Value } from './scalar.ts';

/** More values than any file of manifests has: aliases of aliases grow exponentially. */
const mostValues = 1_000_000;

const options = { version: '1.1', schema: 'failsafe', resolveKnownTags: false, uniqueKeys: false } as const;

/**
 * The documents of a file, as values of JSON. Integers that a number cannot hold are written exactly by JSON.stringify. Throws an Error
 * whose message is one line that names the line of the file.
 */
export function readDocuments(text: string): readonly unknown[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { ...options, lineCounter: lines, logLevel: 'silent' });
  return documents.map((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(problem.message.split('\n')[0]?.replace(/:$/, ''));
    return new DocumentReader(document, lines).read();
  });
}

type YamlMapping = Readonly<Record<string, unknown>>;

class DocumentReader {
  readonly #document: Document;
  readonly #lines: LineCounter;
  /** Values by anchor. Undefined while the value is being read: it must not contain itself. */
  readonly #anchors = new Map<string, { readonly value: unknown; readonly size: number } | undefined>();
  /** Values read so far, each as often as it occurs with aliases replaced. */
  #size = 0;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  read(): unknown {
    const { explicit, version } = this.#document.directives?.yaml ?? {};
    if (explicit === true && version !== '1.1') throw new Error(`kubectl reads YAML 1.1: remove %YAML ${version}`);
    return this.#valueOf(this.#document.contents);
  }

  #valueOf(node: Node | null): unknown {
    this.#count(node, 1);
    if (node === null) return null;
    if (isAlias(node)) return this.#aliased(node, node.source);
    const { anchor } = node as { readonly anchor?: string };
    const before = this.#size;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const value = this.#contentOf(node);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - before });
    return value;
  }

  #contentOf(node: Node): unknown {
    if (isScalar(node)) return this.#jsonOf(this.#scalarOf(node), node);
    if (isSeq(node)) return node.items.map((item) => this.#valueOf(item as Node | null));
    if (isMap(node)) return this.#fieldsOf(node.items as readonly Pair[]);
    throw this.#error(node, 'this is no value');
  }

  #aliased(node: Node, name: string): unknown {
    const found = this.#anchors.get(name);
    if (found === undefined) throw this.#error(node, `no value before has the anchor ${JSON.stringify(name)}`);
    this.#count(node, found.size);
    return found.value;
  }

  /** In the order of the file: a merge replaces what is above it, and is replaced by what is below. The last of equal keys holds. */
  #fieldsOf(pairs: readonly Pair[]): YamlMapping {
    const fields = new Map<string, unknown>();
    for (const { key, value: node } of pairs) {
      const value = this.#valueOf(node);
      if (!isMerge(key)) fields.set(this.#keyOf(key), value);
      else for (const entry of this.#mergedBy(key, value)) fields.set(...entry);
    }
    // A key such as __proto__ is one like any other.
    return Object.fromEntries(fields);
  }

  /** Of several mappings, the first holds. */
  #mergedBy(key: Node, value: unknown): readonly (readonly [string, unknown])[] {
    const mappings = Array.isArray(value) ? value.toReversed() : [value];
    if (mappings.every(isMapping)) return mappings.flatMap((one) => Object.entries(one));
    throw this.#error(key, '<< needs a mapping or a list of mappings');
  }

  #keyOf(key: Node | null): string {
    const json = this.#valueOf(key);
    const named = isAlias(key) ? key.resolve(this.#document) : key;
    const value = isScalar(named) ? this.#scalarOf(named) : null;
    if (value !== null && typeof value !== 'object') return `${value}`;
    if (value !== null && isShort(Number(json))) return `${Number(json)}`;
    throw this.#error(key, 'the key of a mapping must be text, an integer or a boolean: put it in quotes');
  }

  #scalarOf(node: Scalar): Value {
    const { source = '', type, tag } = node;
    try {
      if (tag !== undefined && !isMerge(node)) return taggedScalar(tag, source);
      return type === Scalar.PLAIN ? plainScalar(source) : source;
    } catch (error) {
      throw this.#error(node, (error as Error).message);
    }
  }

  #jsonOf(value: Value, node: Node): unknown {
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : rawNumber(value);
    if (value === null || typeof value !== 'object') return value;
    if (!Number.isFinite(value.float)) throw this.#error(node, 'JSON has no infinite numbers and no NaN');
    // JSON has no -0, either.
    return value.float + 0;
  }

  #count(node: Node | null, more: number): void {
    this.#size += more;
    if (this.#size > mostValues)
      throw this.#error(node, `the file has more than ${mostValues} values with its aliases`);
  }

  #error(node: Node | null, what: string): Error {
    const [start] = node?.range ?? [];
    return new Error(start === undefined ? what : `${what} at line ${this.#lines.linePos(start).line}`);
  }
}

interface Pair {
  readonly key: Node | null;
  readonly value: Node | null;
}

function isMapping(value: unknown): value is YamlMapping {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** With quotes, it is an ordinary key. */
function isMerge(key: Node | null): key is Scalar {
  if (!isScalar(key) || key.source !== '<<') return false;
  return key.tag === undefined ? key.type === Scalar.PLAIN : key.tag === 'tag:yaml.org,2002:merge';
}

/** kubectl rounds longer numbers and gives them exponents when they are keys. */
function isShort(float: number): boolean {
  return Number(float.toPrecision(6)) === float && Math.abs(float) >= 1e-4 && Math.abs(float) < 1e6;
}

/** Missing in the types of the compiler. */
function rawNumber(value: bigint): unknown {
  return (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON(`${value}`);
}
