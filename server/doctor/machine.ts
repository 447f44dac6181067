import { randomUUID } from 'node:crypto'
import { open, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { formatBytes } from '#contract/platform/text/format.ts'
import { diskOf } from '../dashboard/installation.ts'
import { boundary } from '../media/boundary.ts'
import { triedEngines } from '../media/engines.ts'
import { checkModel, ModelFileError } from '../media/speech/model-file.ts'
import { secretFiles } from '../platform/keys.ts'
import { fitOf } from '../secret/fit.ts'
import { requirePlace } from '../platform/storage/place.ts'
import { openStorage, readHolding } from '../platform/storage/storage.ts'
import { absent, bytesOf, type Store } from '../platform/storage/store.ts'
import { tops } from '../platform/storage/keys.ts'
import { isOpenToOthers } from '../platform/storage/private.ts'
import { isBegun } from './database.ts'
import { found, reasonOf, type Found, type Patient } from './finding.ts'

const byState = { ok: 'disk_roomy', warning: 'disk_tight', failing: 'disk_full' } as const

export async function lookAtDisk({ env }: Patient): Promise<Found[]> {
  const { state, freeBytes, totalBytes } = await diskOf(env.dataDir)
  if (freeBytes === null || totalBytes === null) return [found('disk_silent', { folder: env.dataDir })]
  return [found(byState[state], { free: formatBytes(freeBytes), total: formatBytes(totalBytes) })]
}

/** A confirmed write waits for the disk; more than that is felt by everybody. */
const slowMs = 200
/** Each segment of a video is one question to the store. */
const slowStoreMs = 1_000

export async function lookAtStorage(patient: Patient): Promise<Found[]> {
  return [...(await lookAtFolder(patient)), ...(await lookAtStore(patient))]
}

/** The store that holds the files, where that is not the folder of the data, and a move that is not at its end. */
async function lookAtStore({ env, db }: Patient): Promise<Found[]> {
  if (!db) return []
  const storage = openStorage(env, db)
  try {
    await requirePlace({ env, db, storage })
    const { kind, former } = await readHolding(db.single)
    const store = storage.of(kind)
    const moving =
      former === null ? [] : [found('storage_moving', { from: storage.of(former).place, to: store.place })]
    return kind === 'folder' ? moving : [await writeInStore(store), ...moving]
  } catch (error) {
    return [found('store_refuses', { reason: reasonOf(error) })]
  } finally {
    await storage.close()
  }
}

async function writeInStore(store: Store): Promise<Found> {
  const key = `check/${randomUUID()}`
  const text = Buffer.from('written to see whether files can be')
  const began = performance.now()
  await store.put(key, text)
  const isSame = (await bytesOf(await store.read(key))).equals(text)
  await store.remove(key)
  if (!isSame) throw new Error('what was written is not what is read')
  const ms = performance.now() - began
  const values = { place: store.place, milliseconds: String(Math.ceil(ms)) }
  return found(ms > slowStoreMs ? 'store_slow' : 'store_works', values)
}

async function lookAtFolder({ env: { dataDir } }: Patient): Promise<Found[]> {
  const folders = [...tops, 'scratch'].map((name) => path.join(dataDir, name))
  const openOnes: string[] = []
  for (const folder of folders) if (await isOpenToOthers(folder)) openOnes.push(folder)
  const written = await writeIn(dataDir).catch((error: unknown) =>
    found('storage_refuses', { folder: dataDir, reason: reasonOf(error) }),
  )
  return [
    written,
    ...(openOnes.length > 0 ? [found('storage_open', { folders: openOnes.join(', ') })] : []),
    ...(await ownerOf(dataDir)),
  ]
}

async function writeIn(folder: string): Promise<Found> {
  const name = path.join(folder, `.check-${process.pid}-${Date.now()}`)
  const began = performance.now()
  const text = `written to see whether files can be, at ${began}`
  const file = await open(name, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    if ((await readFile(name, 'utf8')) !== text) throw new Error('what was written is not what is read')
  } finally {
    await file.close()
    await rm(name, { force: true })
  }
  const ms = performance.now() - began
  return found(ms > slowMs ? 'storage_slow' : 'storage_works', {
    folder,
    milliseconds: String(Math.ceil(ms)),
  })
}

/** Root may do what the server may not. */
async function ownerOf(folder: string): Promise<Found[]> {
  const user = process.getuid?.()
  const owner = (await stat(folder).catch(() => undefined))?.uid
  if (user === undefined || owner === undefined || owner === user) return []
  return [found('storage_foreign', { folder, owner: String(owner), user: String(user) })]
}

/** Never reads what is in it. */
export async function lookAtSecret({ env, db, keys }: Patient): Promise<Found[]> {
  const file = secretFiles(env).present
  const place = env.secretKey ? 'SECRET_KEY' : file
  const isOther = keys && db && (await db.as('system', (tx) => fitOf(tx, keys))) === 'other'
  if (isOther) return [found('secret_other', { place })]
  if (env.secretKey !== undefined) return [found('secret_given')]
  const isThere = (await stat(file).catch(absent(undefined))) !== undefined
  if (!isThere) {
    const isUsed = db !== undefined && (await isBegun(db.single))
    return [found(isUsed ? 'secret_missing' : 'secret_not_made', { file })]
  }
  return [found((await isOpenToOthers(file)) ? 'secret_open' : 'secret_kept', { file })]
}

/** Each engine is tried on a second of video behind the boundary. */
export async function lookAtConverter({ env }: Patient): Promise<Found[]> {
  const around = await boundary()
  return [
    ...(await enginesFound()),
    ...(await speechModelFound(env.whisper)),
    around.kind === 'none' ? found('boundary_missing', { reason: around.reason }) : found('boundary_there'),
  ]
}

async function speechModelFound(model: Patient['env']['whisper']): Promise<Found[]> {
  if (!model) return []
  const { file } = model
  try {
    await checkModel(model)
    return [found('speech_model_there', { file })]
  } catch (error) {
    const code = error instanceof ModelFileError ? error.code : 'model_missing'
    return [found(`speech_${code}`, { file })]
  }
}

async function enginesFound(): Promise<Found[]> {
  const refused: Found[] = []
  const passedOver: string[] = []
  let picked = found('converter_missing')
  for await (const { program, isNamed, ...tried } of triedEngines()) {
    if ('engine' in tried) {
      picked = found('converter_there', { engine: program })
      break
    }
    if (isNamed) refused.push(found('converter_refused', { engine: program, fault: tried.fault }))
    else passedOver.push(`${program} ${tried.fault}`)
  }
  const others =
    passedOver.length > 0 ? [found('converter_passed_over', { faults: passedOver.join('; ') })] : []
  return [picked, ...refused, ...others]
}
