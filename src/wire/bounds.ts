// Bounds of lists, maps and URLs in requests, so that no request makes a service work, or remember, more than its length suggests.
import { z } from 'zod';

/** How many items a list or a map of a request can have. What people write has far fewer. */
export const mostItems = 4000;
/** How many values a whole request can have, in all its lists and maps: each problem of one takes much more memory than the value. */
export const mostValuesOfRequest = 20_000;

/** How many volumes a machine can have: something is made of each one. What clouds and nodes of Kubernetes can attach is far less. */
export const mostVolumes = 1000;
/** How many characters a URL of a request can have. Each run keeps those of its data sources and files. */
export const mostUrl = 8192;

export const tooManyItems = `has more than ${mostItems} items`;
export const tooManyValues = `has more than ${mostValuesOfRequest} values`;

/** The URL of a data source or a file in requests. */
export const boundedUrl = z.string().max(mostUrl, `has more than ${mostUrl} characters`);

/** A list in requests. */
export const boundedList = <Item extends z.ZodType>(item: Item) => z.array(item).max(mostItems, tooManyItems);

/** A map in requests, from names to values. */
export const boundedMap = <Value extends z.ZodType>(value: Value) =>
  z
    .record(z.string(), value)
    .refine((map) => Object.keys(map).length <= mostItems, { error: tooManyItems })
    .meta({ maxProperties: mostItems });
