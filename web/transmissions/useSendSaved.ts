import {
  changeTransmission,
  editTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
  type Transmission,
} from '#contract/transmissions.ts'
import { useChange } from '#web/api/query.ts'
import { editOf, type Draft } from './draft.ts'
import type { Saver } from './saving.ts'

const touched = [readTransmission, readTransmissionPlan, listTransmissions]

/** Writes the whole content of one that is there already; refused as long as something is missing. */
export function useKeepSaved() {
  const edit = useChange(editTransmission, touched)
  return async (draft: Draft, saver: Saver): Promise<Transmission> => {
    const { id = '', version = 0 } = saver.saved() ?? {}
    const kept = await edit.mutateAsync({ params: { transmissionId: id }, body: editOf(draft, version) })
    // Another try after the second half has failed goes on from here.
    saver.adopt({ id, version: kept.version, organizationId: kept.organizationId })
    return kept
  }
}

/** The same, and lets it go. */
export function useSendSaved() {
  const keep = useKeepSaved()
  const change = useChange(changeTransmission, touched)
  return async (draft: Draft, saver: Saver): Promise<Transmission> => {
    const { id, version } = await keep(draft, saver)
    return change.mutateAsync({ params: { transmissionId: id }, body: { action: 'submit', version } })
  }
}
