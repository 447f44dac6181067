import {
  changeTransmission,
  editTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { useRef } from 'react'
import { call } from '#web/api/client.ts'
import { explain } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { editOf, type Draft } from './draft.ts'
import type { Saver } from './saving.ts'
import type { Urgent } from './Composer.tsx'

const touched = [readTransmission, readTransmissionPlan, listTransmissions]

/** Writes the whole content of one that is there already. It is refused as long as something is missing. */
export function useKeepSaved() {
  const edit = useChange(editTransmission, touched)
  return async (draft: Draft, saver: Saver): Promise<Transmission> => {
    const { id = '', version = 0 } = saver.saved() ?? {}
    const saved = await edit.mutateAsync({ params: { transmissionId: id }, body: editOf(draft, version) })
    // Another try after the second half has failed goes on from here.
    saver.adopt({ id, version: saved.version, organizationId: saved.organizationId })
    return saved
  }
}

/** Writes the whole content in the same way, and then lets the transmission go. */
export function useSendSaved() {
  const keep = useKeepSaved()
  const change = useChange(changeTransmission, touched)
  /** It is true when the answer to an earlier try was lost, so that the try may have done something. */
  const isUnsure = useRef(false)
  const send = async (draft: Draft, saver: Saver, urgent: Urgent): Promise<Transmission> => {
    const { id, version } = await keep(draft, saver)
    return change.mutateAsync({
      params: { transmissionId: id },
      body: { action: 'submit', version, ...urgent },
    })
  }
  return async (draft: Draft, saver: Saver, urgent: Urgent): Promise<Transmission> => {
    const saved = saver.saved()
    try {
      if (isUnsure.current && saved) {
        const now = await call(readTransmission, { params: { transmissionId: saved.id } })
        if (now.state !== 'draft') return now
        if (now.version === saved.version + 1) saver.adopt({ ...saved, version: now.version })
      }
      const sent = await send(draft, saver, urgent)
      isUnsure.current = false
      return sent
    } catch (error) {
      isUnsure.current ||= explain(error).retry
      throw error
    }
  }
}
