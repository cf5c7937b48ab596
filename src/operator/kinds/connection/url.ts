// The address of a service, as a regular expression that the API server and the operator read alike.

/** Host names. */
const letter = String.raw`[^\s\x00-\x1F\x7F/?#@:%<>^|\\\[\].]`;
/** A host that ends with a number is read as an IPv4 address. */
const word = String.raw`[^\s\x00-\x1F\x7F/?#@:%<>^|\\\[\].0-9]`;
const name = String.raw`(${letter}+\.)*${letter}*${word}${letter}*\.?`;

const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const address = String.raw`${octet}(\.${octet}){3}|\[[0-9A-Fa-f:.]+\]`;

const port = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

/** http or https, without user, password, query and fragment. Of IPv6 it accepts more than exists. */
export const url = new RegExp(String.raw`^https?://(${name}|${address})(:${port})?(/[^?#\s]*)?$`);
