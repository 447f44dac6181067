import type { AlertKind } from '#contract/alerts.ts'
import { hideAlert, readDashboardAlerts, showAlert } from '#contract/dashboard.ts'
import { sentence } from '../../api/errors.ts'
import { useChange } from '../../api/query.ts'
import { toast } from '../../ui/toasts.ts'

const days = 7
const onError = (error: Error) => toast.failure(sentence(error))

/** Hiding a matter from oneself for a week, and showing it again. `orgId` null: over all organizations. */
export function useHiding(orgId: string | null) {
  const read = [readDashboardAlerts]
  const hide = useChange(hideAlert, read)
  const show = useChange(showAlert, read)
  const place = orgId === null ? {} : { organizationId: orgId }
  return {
    isBusy: hide.isPending || show.isPending,
    onHide: (kind: AlertKind) => hide.mutate({ params: { kind }, body: { ...place, days } }, { onError }),
    onShow: (kind: AlertKind) => show.mutate({ params: { kind }, query: place }, { onError }),
  }
}
