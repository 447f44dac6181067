import { Button } from '@mantine/core'
import { paths } from '#web/paths.ts'
import { formatTime } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import type { Saved, Saving } from './saving.ts'

/** Says beside the heading whether what is written is kept. */
export function SavedNote({ saving }: { saving: Saving }) {
  return <span role="status">{noteOf(saving)}</span>
}

function noteOf(saving: Saving): string {
  if (saving.is === 'saved') return `Saved ${formatTime(saving.at)}`
  if (saving.is === 'saving') return 'Saving…'
  if (saving.is === 'homeless') return 'Not saved yet: choose an organization, and it is.'
  if (saving.is === 'unreached')
    return 'Not saved: the server cannot be reached. It is saved as soon as that is possible.'
  if (saving.is === 'refused') return `Not saved. ${saving.why}`
  return saving.is === 'elsewhere' ? 'Not saved.' : ''
}

/** Asks whoever writes here what becomes of it, so that nothing is overwritten. */
export function Elsewhere({ saved, onPart }: { saved: Saved; onPart: () => void }) {
  return (
    <Notice
      tone="warning"
      action={
        <>
          <Button variant="default" component="a" href={paths.transmission(saved.id)}>
            Show the other version
          </Button>
          <Button variant="default" onClick={onPart}>
            Keep mine as another draft
          </Button>
        </>
      }
    >
      <p role="alert">
        This draft was changed or sent in another window. Nothing there was overwritten, and what you write
        here is not saved.
      </p>
    </Notice>
  )
}
