import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import { dueText } from '#contract/time-zones.ts'
import type { Transmission } from '#contract/transmissions.ts'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'

// What a form needs is more than the page itself.
const DueDialog = dialogOnDemand(async () => (await import('./DueDialog.tsx')).DueDialog)

/** By when it is to be watched: by itself, or as the end of a sentence. Of what was sent it can be changed. */
export function DueDay({ transmission, isAlone = false }: { transmission: Transmission; isAlone?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const { dueAt, timeZone, state } = transmission
  const isFixed = state === 'draft' || state === 'pending_approval' || state === 'cancelled'
  return (
    <>
      {dueAt && isAlone && (
        <strong>
          Due <time dateTime={dueAt}>{dueText(dueAt, timeZone)}</time>
        </strong>
      )}
      {dueAt && !isAlone && (
        <>
          , to be watched by <time dateTime={dueAt}>{dueText(dueAt, timeZone)}</time>
        </>
      )}
      {!isFixed && (
        <>
          {' '}
          <Button variant="subtle" size="compact-sm" px={0} onClick={() => setOpen(true)}>
            {dueAt ? 'Change the due day' : 'Set a due day'}
          </Button>
        </>
      )}
      <Suspense>
        {isOpen && <DueDialog transmission={transmission} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
