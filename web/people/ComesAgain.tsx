import { Button } from '@mantine/core'
import type { RemovedUser } from '#contract/directory/removed-users.ts'
import { plural } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { RelativeTime } from '../ui/Time.tsx'
import shapes from '#web/ui/shapes.module.css'

export type Choice = 'restore' | 'add'
type Props = { user: RemovedUser; onChoose: (choice: Choice) => void }

/** Before somebody is added by the address of a person who was removed: added anew, what that person completed is not theirs. */
export function ComesAgain({ user: { name, removedAt, completed }, onChoose }: Props) {
  return (
    <div tabIndex={-1} data-error-summary>
      <Notice
        tone="warning"
        role="alert"
        action={
          <div className={shapes.row}>
            <Button onClick={() => onChoose('restore')}>Bring {name} back</Button>
            <Button variant="default" onClick={() => onChoose('add')}>
              Add somebody new
            </Button>
          </div>
        }
      >
        {name} had this address and was removed <RelativeTime iso={removedAt} />.{' '}
        {completed > 0 && `${plural(completed, 'video')} completed by them would count again.`} Brought back,
        they are as they were, with their groups; somebody new begins with nothing.
      </Notice>
    </div>
  )
}
