import { Suspense, useState } from 'react'
import { dueText } from '#contract/platform/time-zones.ts'
import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'
import { isUnsent } from './labels.ts'
import { daysLate, lateText } from './late.ts'
import { useCounts } from './useCounts.ts'
import styles from './TransmissionPage.module.css'
import shapes from '#web/ui/shapes.module.css'

// What a form needs is more than the page itself.
const DueDialog = dialogOnDemand(async () => (await import('./DueDialog.tsx')).DueDialog)

type Props = { transmission: Transmission }

/** Before it is let go, the day is changed with the rest of it. */
export const isDueFixed = ({ state }: Transmission) =>
  state === 'draft' || state === 'pending_approval' || state === 'cancelled'

/** By when it is to be watched. Of what was sent it can be changed. */
export function DueDay({ transmission }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { dueAt, timeZone } = transmission
  return (
    <>
      {dueAt && (
        <>
          due <time dateTime={dueAt}>{dueText(dueAt, timeZone)}</time>
          {!isUnsent(transmission) && <Outcome transmission={transmission} />}
        </>
      )}
      {!isDueFixed(transmission) && (
        <>
          {dueAt && '\u00A0· '}
          <button type="button" className={styles.change} onClick={() => setOpen(true)}>
            {dueAt ? (
              <>
                Change<span className={shapes.sr}> the due day</span>
              </>
            ) : (
              'Set a due day'
            )}
          </button>
        </>
      )}
      <Suspense>
        {isOpen && <DueDialog transmission={transmission} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}

/** What has become of the day: how late the rest is, or that nobody is left. */
function Outcome({ transmission: { id, dueAt } }: Props) {
  const { unfinished, excused } = useCounts(id)
  const late = daysLate(dueAt)
  if (unfinished === 0) return excused === 0 ? ', everybody has completed it' : ', nobody owes it any more'
  return late !== null && <span className={shapes.late}>, {lateText(late)}</span>
}
