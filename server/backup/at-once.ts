import type { StoreKind } from '../platform/storage/store.ts'

/** A bucket answers slowly and many at once; a disk does one thing after the other. */
const atOnce = { folder: 1, s3: 4 }

/** Works on each item, at these stores. After the first that fails nothing new begins; it is thrown when all that had begun have ended. */
export async function eachAtOnce<T>(
  kinds: readonly StoreKind[],
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = items.entries()
  const faults: unknown[] = []
  const workOff = async () => {
    for (let next = rest.next(); !next.done && faults.length === 0; next = rest.next()) {
      const [index, item] = next.value
      await work(item, index).catch((error: unknown) => void faults.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.max(...kinds.map((kind) => atOnce[kind])) }, workOff))
  if (faults.length > 0) throw faults[0]
}
