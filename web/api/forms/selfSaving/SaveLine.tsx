import { Button } from '@mantine/core'
import { IconAlertTriangle, IconArrowBackUp, IconArrowForwardUp, IconCheck } from '@tabler/icons-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import shapes from '../../../ui/look/shapes.module.css'
import type { Drafted, SelfSaving, SelfSavingState, SaveState } from './selfSaving.ts'
import classes from './SaveLine.module.css'

type Props<R extends Drafted<D>, D, P> = {
  editor: SelfSaving<R, D, P>
  state: SelfSavingState<R, D, P>
}

/** Whether everything is saved, and the way back through one's own steps. */
export function SaveLine<R extends Drafted<D>, D, P>({ editor, state }: Props<R, D, P>) {
  const { save, history } = state
  const [canUndo, canRedo] = [history.past.length > 0, history.future.length > 0]
  const isStuck = save.kind === 'failed' || save.kind === 'asking'
  return (
    <div className={`${shapes.row} ${classes.save}`} data-screen-only>
      <p role="status" data-tone={isStuck ? 'danger' : 'neutral'}>
        {isStuck ? (
          <IconAlertTriangle size={16} aria-hidden />
        ) : (
          <IconCheck size={16} visibility={save.kind === 'saved' ? undefined : 'hidden'} aria-hidden />
        )}
        {wordsOf(save)}
      </p>
      {save.kind === 'failed' && (
        <Button variant="default" size="compact-md" onClick={() => void editor.flush()}>
          Save now
        </Button>
      )}
      <IconButton
        tone="quiet"
        size={36}
        icon={IconArrowBackUp}
        iconClass={shapes.flip}
        label="Undo"
        title="Undo (Ctrl+Z)"
        cannot={!canUndo && 'Nothing to undo'}
        onClick={editor.undo}
      />
      <IconButton
        tone="quiet"
        size={36}
        icon={IconArrowForwardUp}
        iconClass={shapes.flip}
        label="Redo"
        title="Redo (Ctrl+Shift+Z)"
        cannot={!canRedo && 'Nothing to redo'}
        onClick={editor.redo}
      />
    </div>
  )
}

function wordsOf(save: SaveState): string {
  if (save.kind === 'saved') return 'Saved'
  if (save.kind === 'failed')
    return `Not saved: ${save.why}${save.isRetried ? ' It is tried again by itself.' : ''} What you wrote is kept in this browser.`
  return save.kind === 'asking' ? 'Not saved: first choose what stays.' : 'Saving …'
}
