import type { Body } from '#contract/endpoint.ts'
import { createDraft, saveDraft } from '#contract/transmissions/drafts.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { call } from '#web/api/client.ts'
import { ApiError, explain, sentence } from '#web/api/errors.ts'
import { queryClient, queryOf, randomKey, refreshAll } from '#web/api/query.ts'
import { draftRequestOf, type Draft } from './draft.ts'

/** This is a draft as the server has it. */
export type Saved = { id: string; version: number; organizationId: string }

/**
 * `homeless` means that it belongs to no organization yet. `elsewhere` means that somebody, or another tab, has changed it, and that
 * nothing more is saved here. `at` is in milliseconds since 1970.
 */
export type Saving =
  | { is: 'nothing' | 'homeless' | 'saving' | 'unreached' | 'elsewhere' }
  | { is: 'saved'; at: number }
  | { is: 'refused'; why: string }

/** These are the milliseconds without a change before it is saved, and between two tries while the server is not reached. */
const pause = 1_000
const again = 5_000

const contentOf = (draft: Draft): Omit<Body<typeof saveDraft>, 'version'> => {
  const { accountId: _fixed, ...content } = draftRequestOf(draft)
  return content
}

/** Keeps the answer, so that whoever opens the draft again finds what was saved last, and no earlier answer. */
const remember = (saved: Transmission): void => {
  const { queryKey } = queryOf(readTransmission, { params: { transmissionId: saved.id } })
  queryClient.setQueryData(queryKey, saved)
}
export const forgetPlans = (): void =>
  queryClient.removeQueries({ queryKey: [readTransmissionPlan.name], type: 'inactive' })

/** The first request is sent once more as it was, should its answer have been lost, because two of them would make two drafts. */
type First = { body: Body<typeof createDraft>; idempotencyKey: string }

/** Keeps a draft on the server as it is written, one request after another. */
export function openSaver(start: Saved | null, tell: (now: Saving) => void) {
  let saved = start
  let wanted: Draft | null = null
  let first: First | null = null
  let running: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHalted = false
  let isFailing = false
  let tried: Draft | null = null

  const begin = async (draft: Draft): Promise<Saved> => {
    first ??= { body: draftRequestOf(draft), idempotencyKey: randomKey() }
    const reply = await call(createDraft, first)
    const { id, version, organizationId } = reply
    first = null
    remember(reply)
    return { id, version, organizationId }
  }
  /** Leaves the draft behind. Videos and people belong to one organization, so that a draft for another organization is another draft. */
  const leave = async ({ id: transmissionId, version }: Saved): Promise<void> => {
    await call(changeTransmission, { params: { transmissionId }, body: { action: 'cancel', version } })
    saved = null
  }
  /** Returns whether a try whose answer was lost has been written all the same, and nothing since. */
  const isMine = async ({ id, version }: Saved, { body, subject }: Draft): Promise<boolean> => {
    const now = await call(readTransmission, { params: { transmissionId: id } })
    return now.version === version + 1 && now.body === body && now.subject === subject.trim()
  }
  const write = async (draft: Draft): Promise<void> => {
    if (saved && saved.organizationId !== draft.organizationId) await leave(saved)
    const mine = saved
    const isRepeated = first !== null
    const known = mine ?? (await begin(draft))
    saved = known
    if (mine === null && !isRepeated) return
    const params = { transmissionId: known.id }
    const version = tried && (await isMine(known, tried)) ? known.version + 1 : known.version
    tried = draft
    const reply = await call(saveDraft, { params, body: { ...contentOf(draft), version } })
    tried = null
    saved = { ...known, version: reply.version }
    remember(reply)
  }
  const failed = (error: unknown): void => {
    isFailing = true
    if (explain(error).retry) {
      tell({ is: 'unreached' })
      timer = setTimeout(() => void flush(), again)
    } else if (error instanceof ApiError && error.status === 409) {
      isHalted = true
      tell({ is: 'elsewhere' })
    } else tell({ is: 'refused', why: sentence(error) })
  }
  const save = async (): Promise<void> => {
    tell({ is: 'saving' })
    try {
      while (wanted !== null) {
        const draft: Draft = wanted
        await write(draft)
        if (wanted === draft) wanted = null
      }
      isFailing = false
      tell({ is: 'saved', at: Date.now() })
      await refreshAll([listTransmissions])
    } catch (error) {
      failed(error)
    }
    running = null
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    if (wanted !== null && !isHalted) running ??= save()
    return running ?? Promise.resolve()
  }
  return {
    saved: () => saved,
    isWaiting: () => wanted !== null,
    /** Returns whether leaving would lose something, because the server is not reached, refuses it, or has another version. */
    isStuck: () => wanted !== null && isFailing,
    keep: (draft: Draft): void => {
      if (draft.organizationId === '') return tell({ is: 'homeless' })
      wanted = draft
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), pause)
    },
    flush,
    /** Goes on from what another request has made of it. */
    adopt: (now: Saved): void => {
      saved = now
      wanted = null
    },
    /** Makes a draft of its own of what is here, beside the one that was changed elsewhere. */
    part: (draft: Draft): Promise<void> => {
      saved = null
      isHalted = false
      wanted = draft
      return flush()
    },
    stop: (): void => {
      wanted = null
      clearTimeout(timer)
    },
  }
}
export type Saver = ReturnType<typeof openSaver>
