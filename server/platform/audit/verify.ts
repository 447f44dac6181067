import { detailsHashOf, entryHashOf, linkHashOf, origin, type ChainEntry, type Hashes } from './canonical.ts'

/** A link as it is found; `entry` is null when it is gone. */
export type Link = Hashes & {
  seq: number
  entry: ChainEntry | null
  /** Hash of the link before, as a selection tells it; without it every link from the first on is expected. */
  previous?: string
}

export type Head = { seq: number; hash: string }

export type Verdict = {
  /** The first thing that is wrong, in a sentence; null when everything fits. */
  fault: string | null
  links: number
  /** Details of so many entries were erased; their hashes are still there. */
  erased: number
  head: Head | null
  /** The noted head was met, and was the same. */
  metHead: boolean
}

/** Walks along the chain in the order of its links and stops at the first that does not fit. Keeps three links in memory. */
export async function verifyChain(links: AsyncIterable<Link>, noted?: Head): Promise<Verdict> {
  const verdict: Verdict = { fault: null, links: 0, erased: 0, head: null, metHead: false }
  for await (const [link, next] of inPairs(links)) {
    verdict.fault = faultOf(link, verdict.head, next) ?? headFault(link, noted)
    if (verdict.fault !== null) return verdict
    verdict.links += 1
    if (link.entry?.salt === null) verdict.erased += 1
    if (noted?.seq === link.seq) verdict.metHead = true
    verdict.head = { seq: link.seq, hash: link.hash }
  }
  return verdict
}

async function* inPairs(links: AsyncIterable<Link>): AsyncGenerator<[Link, Link | undefined]> {
  let present: Link | undefined
  for await (const next of links) {
    if (present) yield [present, next]
    present = next
  }
  if (present) yield [present, undefined]
}

function faultOf(link: Link, last: Head | null, next: Link | undefined): string | null {
  const { seq, entry } = link
  const follows = (last?.seq ?? 0) + 1
  if (seq < follows) return `link ${seq} comes twice or out of order`
  if (seq > follows && link.previous === undefined)
    return seq === follows + 1 ? `link ${follows} is missing` : `links ${follows} to ${seq - 1} are missing`
  const previous = seq === follows ? (last?.hash ?? origin) : (link.previous ?? origin)
  if (link.previous !== undefined && link.previous !== previous)
    return `link ${seq} does not follow link ${seq - 1}: one of them was replaced`
  const place = misplaced(previous, link, next)
  if (place) return place
  if (!entry) return `the entry of link ${seq} is missing: it was deleted after it was sealed`
  return contentFault(entry, link)
}

/** When a link does not continue the chain, the one after it tells why. */
function misplaced(previous: string, link: Link, next: Link | undefined): string | null {
  const fits = (before: string, one: Link) => linkHashOf(before, one.entryHash) === one.hash
  if (fits(previous, link)) return null
  if (next && fits(previous, next))
    return fits(next.hash, link)
      ? `links ${link.seq} and ${next.seq} are in the wrong order`
      : `link ${link.seq} was inserted: link ${next.seq} continues the chain without it`
  return `link ${link.seq} does not continue the chain: it was changed, or something before it was removed or put in`
}

function contentFault(entry: ChainEntry, { seq, detailsHash, entryHash }: Link): string | null {
  const name = `entry ${seq} (${entry.action}, ${entry.at}, ${entry.id})`
  if (entryHashOf(entry, detailsHash) !== entryHash)
    return `${name} was changed or put in the place of another`
  const isErased = entry.salt === null
  if (isErased && Object.values(entry.details).every((part) => part === null)) return null
  if (isErased || detailsHashOf(entry) !== detailsHash)
    return `${name} was changed: its details are not the sealed ones`
  return null
}

function headFault({ seq, hash }: Link, noted: Head | undefined): string | null {
  if (noted?.seq !== seq || hash.startsWith(noted.hash)) return null
  return `link ${seq} is not the one that was noted: the chain was written anew from there or before`
}

/** A noted head that the chain never reached. */
export function cutFault({ head, metHead }: Verdict, noted: Head | undefined): string | null {
  if (!noted || metHead || (head?.seq ?? 0) >= noted.seq) return null
  return `the chain ends at link ${head?.seq ?? 0}, but link ${noted.seq} was noted: its tail was cut off`
}
