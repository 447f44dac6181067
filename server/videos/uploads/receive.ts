import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { knownBytes } from '#contract/videos/videos.ts'
import { isDiskFull } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import { sourceKey } from '../../platform/storage/keys.ts'
import { isAbsent, type Store } from '../../platform/storage/store.ts'
import {
  findState,
  findUpload,
  forgetUpload,
  keepHold,
  nextPart,
  noteArrival,
  noteBeginning,
  readTail,
  type Arrival,
  type Held,
  type UploadRow,
  type UploadState,
} from './queries.ts'

export const uploadDays = 7

/** A sender that is silent for so long has gone; whoever comes back goes on where the last bytes were written down. */
const silenceMs = 30_000
/** What has arrived is written down at least this often, as far as the store takes so little. */
const tickMs = 1_000
/** A store takes 10,000 parts; parts are longer where a file would have more than these, and some may be lost on the way. */
const mostParts = 8_000

type Needs = Pick<Services, 'db' | 'storage' | 'log'>

/** The connection that a request writes by, for what the library calls without saying for whom. */
export const connection = new AsyncLocalStorage<string>()

export const takenOver = { status_code: 423, body: 'Another connection is sending this upload.\n' }

/** Takes the bytes of uploads for the library. What has arrived is what the database says, and nothing is acknowledged before it is there. */
export class Uploads extends DataStore {
  readonly #services: Needs

  constructor(services: Needs) {
    super()
    this.#services = services
    this.extensions = ['expiration']
  }

  override async getUpload(id: string): Promise<Upload> {
    const found = await findUpload(this.#services.db, id)
    if (!found) throw ERRORS.FILE_NOT_FOUND
    const { size, fileName, createdAt } = found
    const offset = (await findState(this.#services.db.single, found))?.arrived ?? 0
    return new Upload({ id, size, offset, metadata: { filename: fileName }, creation_date: createdAt })
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const holder = connection.getStore()
    const upload = await findUpload(this.#services.db, id)
    const state = upload && (await findState(this.#services.db.single, upload))
    if (!upload || !state || holder === undefined) throw ERRORS.FILE_NOT_FOUND
    if (state.arrived !== offset) throw ERRORS.INVALID_OFFSET
    return receive(this.#services, { readable, upload, state, held: { versionId: id, holder } })
  }

  override getExpiration(): number {
    return uploadDays * 86_400_000
  }
}

type Incoming = { readable: Readable; upload: UploadRow; state: UploadState; held: Held }

/** Writes part after part, the next one is taken when the last is written: memory stays flat however large the file is. */
async function receive({ db, storage, log }: Needs, { readable, ...whose }: Incoming): Promise<number> {
  const writer = await beginWriting({ db, store: storage.of(whose.state.store) }, whose)
  const silence = setTimeout(() => readable.destroy(new Error('the sender is silent')), silenceMs)
  let full: unknown
  const unlessFull = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
      full = error
    })
  try {
    for await (const chunk of withPauses(readable, tickMs)) {
      if (chunk !== undefined) silence.refresh()
      // Whoever is still sending hears no answer, so the rest of this request is taken and thrown away.
      if (full === undefined) await unlessFull(writer.take(chunk))
    }
    if (full === undefined) await unlessFull(writer.end())
  } catch (error) {
    // What came before a connection broke is not asked for again.
    if (full === undefined && !isRefusal(error))
      await writer
        .end()
        .catch((cause: unknown) => log.warn({ err: cause }, 'the end of an upload was not kept'))
    throw error
  } finally {
    clearTimeout(silence)
  }
  if (full !== undefined) throw full
  return writer.arrived()
}

const isRefusal = (error: unknown) => error === takenOver || error === ERRORS.INVALID_OFFSET

/** Gives what arrives, and `undefined` whenever nothing has come for so long. */
async function* withPauses(readable: Readable, ms: number): AsyncGenerator<Buffer | undefined> {
  const chunks: AsyncIterator<Buffer> = readable[Symbol.asyncIterator]()
  const following = () => {
    const next = chunks.next()
    // It may fail while a part is written; whoever waits for it hears of that then.
    next.catch(() => undefined)
    return next
  }
  try {
    let next = following()
    for (;;) {
      const found = await withinTime(next, ms)
      if (found?.done) return
      if (found) next = following()
      yield found?.value
    }
  } finally {
    await chunks.return?.()
  }
}

async function withinTime<T>(waited: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([waited, late])
  } finally {
    clearTimeout(timer)
  }
}

type Writing = { db: Services['db']; store: Store }
type Writer = {
  /** Takes what has arrived, or notes that time has passed. */
  take(chunk: Buffer | undefined): Promise<void>
  /** Keeps all that has arrived, also what is too short for a part. */
  end(): Promise<void>
  /** Bytes that are kept durably. */
  arrived(): number
}

/** Goes on where the database says that the upload ends. Throws `takenOver` when another connection has gone on with it meanwhile. */
async function beginWriting(
  { db, store }: Writing,
  { upload, state, held }: Omit<Incoming, 'readable'>,
): Promise<Writer> {
  const target = { key: sourceKey(upload), id: state.storeId }
  const longest = Math.max(store.part.usual, Math.ceil(upload.size / mostParts))
  const tail = await readTail(db.single, held)
  let ends: Ends = {
    head: state.arrived === tail.length ? Buffer.alloc(0) : undefined,
    recent: Buffer.alloc(0),
  }
  let waiting = tail.length === 0 ? [] : [tail]
  let length = tail.length
  let stored = state.arrived - tail.length
  let kept = state.arrived
  let notedAt = performance.now()

  const end = () => stored + length

  async function writePart(): Promise<void> {
    const number = await nextPart(db.single, held)
    if (number === undefined) throw takenOver
    const body = Buffer.concat(waiting)
    const etag = await holding(store.uploads.write(target, { number, offset: stored, body })).catch(
      (error: unknown) => startOver({ db, store }, upload, error),
    )
    await note(body, { tail: null, part: { number, etag } })
    stored += length
    waiting = []
    length = 0
  }

  /** A store that takes its time is no silence of the sender. */
  async function holding<T>(work: Promise<T>): Promise<T> {
    const sign = setInterval(() => void keepHold(db.single, held, end()).catch(() => undefined), tickMs)
    try {
      return await work
    } finally {
      clearInterval(sign)
    }
  }

  async function note(body: Buffer, kind: Pick<Arrival, 'tail' | 'part'>): Promise<void> {
    const now = endsAfter(ends, body)
    const arrival = { ...kind, arrived: end(), ends: hashesOf(now, state) }
    if (!(await noteArrival(db.single, held, arrival))) throw takenOver
    ends = now
    kept = arrival.arrived
    notedAt = performance.now()
  }

  return {
    arrived: () => kept,
    async take(chunk) {
      if (chunk !== undefined) {
        waiting.push(chunk)
        length += chunk.length
      }
      const isDue = performance.now() - notedAt >= tickMs && end() > kept
      if (length >= longest || (isDue && length >= store.part.least)) return writePart()
      if (!isDue || chunk === undefined) return
      if (!(await keepHold(db.single, held, end()))) throw takenOver
      notedAt = performance.now()
    },
    async end() {
      if (end() === kept) return
      if (length >= store.part.least || end() === upload.size) return writePart()
      const body = Buffer.concat(waiting)
      await note(body, { tail: body, part: undefined })
    },
  }
}

/** The store has lost what had arrived, or a part of it: the upload goes on from what is there. */
async function startOver({ db, store }: Writing, upload: UploadRow, error: unknown): Promise<never> {
  if (!isAbsent(error)) throw error
  await forgetUpload(db.single, upload)
  await beginUpload({ db, store }, upload)
  throw ERRORS.INVALID_OFFSET
}

/** Begins the upload in the store, and notes where it began. */
export async function beginUpload({ db, store }: Writing, upload: UploadRow): Promise<void> {
  const key = sourceKey(upload)
  const { id, arrived } = await store.uploads.begin(key)
  const isOurs = await noteBeginning(db.single, upload, { store: store.kind, storeId: id, arrived })
  // A folder has found the one that the other process began.
  if (!isOurs && store.kind !== 'folder') await store.uploads.drop({ key, id })
}

/** SHA-256 in hex, as a file is known again by. */
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** What of the beginning and of the end of the upload has come by here, `knownBytes` of each at most; no head where others took it. */
type Ends = { head: Buffer | undefined; recent: Buffer }

const endsAfter = ({ head, recent }: Ends, body: Buffer): Ends => ({
  head: head && Buffer.concat([head, body.subarray(0, knownBytes - head.length)]),
  recent: Buffer.concat([recent, body.subarray(-knownBytes)]).subarray(-knownBytes),
})

const hashesOf = ({ head, recent }: Ends, before: UploadState): Arrival['ends'] => ({
  headBytes: head ? head.length : before.headBytes,
  headSha256: head ? hashOf(head) : before.headSha256,
  tailBytes: recent.length,
  tailSha256: hashOf(recent),
})
