import { stat } from 'node:fs/promises'
import {
  beginSpeechModel,
  deleteSpeechModel,
  readSpeechModel,
  sendSpeechModel,
  type SpeechModel,
} from '#contract/videos/speech-model.ts'
import type { Tx } from '../../platform/db/client.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, ofInstallation } from '../../platform/http/audit.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { isAbsent } from '../../platform/storage/store.ts'
import {
  beginModel,
  completeModel,
  dropModels,
  modelKey,
  modelOf,
  storedModel,
  sweepModels,
  takePiece,
  useModel,
} from './model-store.ts'

export function speechModelRoutes(mount: Mount, services: Services): void {
  const { db, env, log, storage } = services

  async function told(tx: Tx): Promise<SpeechModel> {
    const used = await modelOf(services, tx)
    const arriving = await storedModel(tx, 'arriving')
    const upload = arriving ? { name: arriving.name, size: arriving.size, arrived: arriving.arrived } : null
    if (!used) return { model: null, upload }
    const { source, name, file, sha256, id } = used
    return { model: { source, name, file, sha256, isThere: await isThere(file, id) }, upload }
  }

  async function isThere(file: string | null, id: string | null): Promise<boolean | null> {
    if (id !== null) return (await storage.head(modelKey(id))) !== undefined
    if (file === null || !env.run.has('media')) return null
    return (await stat(file).catch(() => undefined))?.isFile() ?? false
  }

  /** What the operator has named is changed there alone. */
  function requireOwn(): void {
    if (env.whisper) throw refuse('conflict', { reason: { code: 'speech_model_of_operator' } })
  }

  /** What cannot be removed now goes with the housekeeping. */
  const sweep = () =>
    sweepModels(services).catch((error: unknown) =>
      log.warn({ err: error }, 'the file of a speech model is left for later'),
    )

  mount(readSpeechModel, ({ tx }) => told(tx))

  mount(beginSpeechModel, async ({ tx, body }) => {
    requireOwn()
    await beginModel(services, tx, { ...body, sha256: body.sha256 })
    return told(tx)
  })

  mount(sendSpeechModel, async ({ query, body, scope, caller, request }) => {
    requireOwn()
    const piece = { offset: Number(query.offset), body: Buffer.from(body) }
    const model = await db
      .as(scope, (tx) => takePiece(services, tx, piece))
      .catch(async (error: unknown) => {
        if (!isAbsent(error)) throw error
        // The store has lost what had arrived, so it is to be sent from its beginning.
        await db.as(scope, (tx) => dropModels(tx, 'arriving'))
        throw refuse('conflict', { reason: { code: 'model_piece_elsewhere' }, cause: error })
      })
    if (model.arrived < model.size) return db.as(scope, told)
    // Without a connection to the database, because reading it all takes a while.
    const found = await completeModel(services, model)
    if (model.sha256 !== null && model.sha256 !== found) {
      await db.as(scope, (tx) => dropModels(tx, 'arriving'))
      await sweep()
      throw refuse('conflict', { reason: { code: 'speech_model_altered' } })
    }
    const used = await db.as(scope, async (tx) => {
      await useModel(tx, { id: model.id, sha256: found })
      await audit(
        tx,
        { caller, request },
        { ...ofInstallation, action: 'speech_model.update', after: { name: model.name } },
      )
      return told(tx)
    })
    await sweep()
    return used
  })

  mount(deleteSpeechModel, async ({ scope, caller, request }) => {
    requireOwn()
    const left = await db.as(scope, async (tx) => {
      if ((await dropModels(tx, 'arriving', 'ready')) > 0)
        await audit(tx, { caller, request }, { ...ofInstallation, action: 'speech_model.remove' })
      return told(tx)
    })
    await sweep()
    return left
  })
}
