import { Button } from '@mantine/core'
import './conflict.css'

type Props = {
  /** What was changed by somebody else: "this group". */
  what: string
  onReload: () => void
  onOverwrite: () => void
}

/** Two people changed the same thing: which of the two stays is a choice, and nothing has been lost before it is made. */
export function ConflictNote({ what, onReload, onOverwrite }: Props) {
  return (
    <section className="ui-conflict" aria-label="Two versions">
      <p>
        Your changes are not saved yet, because somebody else has changed {what} since you opened it. Take
        their version and lose yours, or save yours over it.
      </p>
      <div>
        <Button variant="default" type="button" onClick={onReload}>
          Load their version
        </Button>
        <Button variant="default" type="button" onClick={onOverwrite}>
          Save mine anyway
        </Button>
      </div>
    </section>
  )
}
