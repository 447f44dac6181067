import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { isKey } from './keys.ts'
import {
  isAbsent,
  isAway,
  noObject,
  storeAway,
  storeFull,
  type ByteRange,
  type Store,
  type StoredObject,
  type StoredPart,
} from './store.ts'

export type S3Place = {
  endpoint: string | undefined
  bucket: string
  /** Stands before every key; empty, or with a slash at its end. */
  prefix: string
  region: string
  isPathStyle: boolean
  /** Undefined: the chain of the library looks for them (variables, files, the role of the machine). */
  keys: { accessKeyId: string; secretAccessKey: string } | undefined
}

/** S3 takes no smaller part but the last, and no larger object at once; what is larger than this goes in parts. */
const leastPart = 5 * 2 ** 20
const usualPart = 8 * 2 ** 20
const mostAtOnce = 64 * 2 ** 20
const atOnce = 8
const connectMs = 3_000
const silentMs = 30_000
/** As long as a slow connection may need for one segment, pauses in between included. */
const signedSeconds = 900

/** Names the store for people and for the database: two settings with one name lead to the same objects. */
export const placeOf = ({ endpoint, bucket, prefix, region }: S3Place): string =>
  `${endpoint ?? `s3.${region}.amazonaws.com`}/${bucket}/${prefix}`.replace(/\/$/, '')

/** Where addresses that the store has signed lead, without a slash at its end. */
export function originOf({ endpoint, bucket, region, isPathStyle }: S3Place): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`
  return url.origin
}

/** A bucket of an S3-compatible store. Only what all of them have is used: no conditional writes, and MD5 as the checksum on the way. */
export function s3Store(where: S3Place): Store {
  const { endpoint, bucket, prefix, region, isPathStyle, keys } = where
  const client = new S3Client({
    region,
    forcePathStyle: isPathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(keys && { credentials: keys }),
    // Stores other than Amazon's know no checksums behind a body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silentMs,
      httpsAgent: { maxSockets: 64 },
      httpAgent: { maxSockets: 64 },
    },
  })
  const place = placeOf(where)
  const at = (key: string) => {
    if (!isKey(key)) throw new Error(`no key of a file: ${JSON.stringify(key)}`)
    return { Bucket: bucket, Key: `${prefix}${key}` }
  }
  const asked = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw faultOf(place, error)
    })

  async function head(key: string) {
    try {
      return await asked(client.send(new HeadObjectCommand(at(key))))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async function read(key: string, range?: ByteRange): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`
    const command = new GetObjectCommand({ ...at(key), ...(Range !== undefined && { Range }) })
    const { Body } = await asked(client.send(command)).catch((error: unknown) => {
      throw isMissing(error) ? noObject(key, error) : error
    })
    if (!(Body instanceof Readable)) throw new Error(`${place} handed out nothing of ${key}`)
    const body = Readable.from(toldAs(place, Body), { objectMode: false })
    // Whoever goes before the first byte lets the connection go too.
    return body.once('close', () => Body.destroy())
  }

  async function sizeOf(key: string): Promise<number | undefined> {
    return (await head(key))?.ContentLength
  }

  async function putBytes(key: string, body: Buffer): Promise<void> {
    await asked(client.send(new PutObjectCommand({ ...at(key), Body: body, ContentMD5: md5Of(body) })))
  }

  async function putLarge(key: string, file: string, size: number): Promise<void> {
    const { id } = await uploads.begin(key)
    const handle = await open(file, 'r')
    try {
      const parts: StoredPart[] = []
      for (let offset = 0; offset < size; offset += mostAtOnce) {
        const length = Math.min(mostAtOnce, size - offset)
        const { buffer } = await handle.read({ buffer: Buffer.alloc(length), position: offset })
        const number = parts.length + 1
        parts.push({ number, etag: await uploads.write({ key, id }, { number, offset, body: buffer }) })
      }
      await uploads.complete({ key, id }, { parts, size })
    } catch (error) {
      await uploads.drop({ key, id }).catch(() => undefined)
      throw error
    } finally {
      await handle.close()
    }
  }

  async function copyUp(key: string, file: string): Promise<void> {
    const { size } = await stat(file)
    if (size > mostAtOnce) return putLarge(key, file, size)
    const pieces: Buffer[] = []
    for await (const piece of createReadStream(file)) pieces.push(piece as Buffer)
    return putBytes(key, Buffer.concat(pieces))
  }

  async function* list(below: string): AsyncGenerator<StoredObject> {
    const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${prefix}${below}` })
    try {
      for await (const { Contents = [] } of pages)
        for (const { Key = '', Size = 0, LastModified = new Date(0) } of Contents) {
          const key = Key.slice(prefix.length)
          if (isKey(key)) yield { key, size: Size, modifiedAt: LastModified }
        }
    } catch (error) {
      throw faultOf(place, error)
    }
  }

  async function* folders(below: string): AsyncGenerator<string> {
    const asking = { Bucket: bucket, Prefix: `${prefix}${below}`, Delimiter: '/' }
    try {
      for await (const { CommonPrefixes = [] } of paginateListObjectsV2({ client }, asking))
        for (const { Prefix = '' } of CommonPrefixes) {
          const name = Prefix.slice(asking.Prefix.length, -1)
          if (isKey(name)) yield name
        }
    } catch (error) {
      throw faultOf(place, error)
    }
  }

  async function remove(key: string): Promise<void> {
    await asked(client.send(new DeleteObjectCommand(at(key)))).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  const uploads: Store['uploads'] = {
    async begin(key) {
      const { UploadId } = await asked(client.send(new CreateMultipartUploadCommand(at(key))))
      if (UploadId === undefined) throw new Error(`${place} named no upload for ${key}`)
      return { id: UploadId, arrived: 0 }
    },
    async write({ key, id }, { number, body }) {
      const part = { ...at(key), UploadId: id, PartNumber: number, Body: body, ContentMD5: md5Of(body) }
      const { ETag } = await asked(client.send(new UploadPartCommand(part))).catch((error: unknown) => {
        throw isMissing(error) ? noObject(key, error) : error
      })
      if (ETag === undefined) throw new Error(`${place} named no part of ${key}`)
      return ETag
    },
    async complete({ key, id }, { parts, size }) {
      const Parts = parts
        .toSorted((a, b) => a.number - b.number)
        .map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
      const command = new CompleteMultipartUploadCommand({
        ...at(key),
        UploadId: id,
        MultipartUpload: { Parts },
      })
      await asked(client.send(command)).catch(async (error: unknown) => {
        if (!isMissing(error)) throw error
        // A second try after a crash finds the work done.
        if ((await sizeOf(key)) !== size) throw noObject(key, error)
      })
    },
    async drop({ key, id }) {
      const command = new AbortMultipartUploadCommand({ ...at(key), UploadId: id })
      await asked(client.send(command)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    },
    async *list() {
      let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {}
      while (from) {
        const page: Awaited<ReturnType<typeof listUploads>> = await listUploads(from)
        for (const { Key = '', UploadId, Initiated = new Date(0) } of page.Uploads ?? []) {
          const key = Key.slice(prefix.length)
          if (UploadId !== undefined && isKey(key)) yield { key, id: UploadId, modifiedAt: Initiated }
        }
        from = page.IsTruncated
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined
      }
    },
  }
  const listUploads = (from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined }) =>
    asked(client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from })))

  return {
    kind: 's3',
    place,
    part: { usual: usualPart, least: leastPart },
    async head(key) {
      const found = await head(key)
      if (!found) return undefined
      return { key, size: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) }
    },
    read,
    async copyTo(key, file) {
      await pipeline(await read(key), createWriteStream(file, { mode: 0o600, flags: 'wx' }))
    },
    put: putBytes,
    async putFile(key, file) {
      await copyUp(key, file)
      await rm(file, { force: true })
    },
    async putFolder(below, folder, isLast) {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const names = entries
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      const put = (name: string) => copyUp(`${below}${name}`, path.join(folder, name))
      await eachOf(
        names.filter((name) => !isLast(name)),
        put,
      )
      await eachOf(names.filter(isLast), put)
      const kept = new Set(names.map((name) => `${below}${name}`))
      for await (const { key } of list(below)) if (!kept.has(key)) await remove(key)
      await rm(folder, { recursive: true, force: true })
    },
    list,
    folders,
    remove,
    async removeBelow(below) {
      const keysOf = async function* () {
        for await (const { key } of list(below)) yield key
      }
      await eachOf(keysOf(), remove)
    },
    uploads,
    async traceOf(key) {
      const found = await head(key)
      if (!found) return undefined
      return [place, found.ETag, found.LastModified?.toISOString()].join(' ')
    },
    sign: (key) => getSignedUrl(client, new GetObjectCommand(at(key)), { expiresIn: signedSeconds }),
    close: () => client.destroy(),
  }
}

const eachOf = (
  things: Iterable<string> | AsyncIterable<string>,
  work: (thing: string) => Promise<void>,
): Promise<void> => Readable.from(things).forEach(work, { concurrency: atOnce })

/** A connection may break after the first bytes, too. */
async function* toldAs(place: string, body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>
  } catch (error) {
    throw faultOf(place, error)
  }
}

const md5Of = (body: Buffer): string => createHash('md5').update(body).digest('base64')

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined

const isMissing = (error: unknown): boolean => statusOf(error) === 404 && !isOfBucket(error)

const isOfBucket = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchBucket'

/** Whether an error says something about the store, or the way to it, and not about an object. */
export const isOfStore = (error: unknown): boolean =>
  error instanceof Error &&
  !isAbsent(error) &&
  (isAway(error) || error instanceof S3ServiceException || error.cause instanceof S3ServiceException)

/** What stores say when they take no more; the status is 507 elsewhere. */
const full = /quota|storagefull|insufficientstorage|entitytoolarge/i
const unreachable =
  /^(ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|ERR_STREAM_PREMATURE_CLOSE)/

/** Makes of what the library throws what `Store` promises. */
function faultOf(place: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const status = statusOf(error)
  if (status === 507 || (status !== undefined && full.test(error.name)))
    return storeFull(`The store ${place} takes no more.`, error)
  const code = 'code' in error ? String(error.code) : ''
  const isAway =
    unreachable.test(code) || error.name === 'TimeoutError' || /^(SlowDown|RequestTimeout)$/.test(error.name)
  if (isAway || status === 429 || (status !== undefined && status >= 500))
    return storeAway(`The store ${place} does not answer as it should.`, error)
  if (isOfBucket(error)) return new Error(`There is no bucket at ${place} (S3_BUCKET).`, { cause: error })
  if (status === 403 || status === 401)
    return new Error(
      `The store ${place} is closed to these keys (S3_ACCESS_KEY, S3_SECRET_KEY): it says ${error.name}.`,
      { cause: error },
    )
  return error
}
