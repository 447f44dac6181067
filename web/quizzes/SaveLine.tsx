import { Button } from '@mantine/core'
import { IconAlertTriangle, IconArrowBackUp, IconCheck } from '@tabler/icons-react'
import { IconButton } from '#web/ui/IconButton.tsx'
import type { Editor, EditorState, SaveState } from './editor.ts'

type Props = { editor: Editor; state: EditorState }

/** Whether everything is saved, and the way back through one's own steps. */
export function SaveLine({ editor, state: { save, history } }: Props) {
  const [canUndo, canRedo] = [history.past.length > 0, history.future.length > 0]
  return (
    <div className="quiz-save" data-state={save.kind}>
      <p role="status">
        {save.kind === 'failed' || save.kind === 'asking' ? (
          <IconAlertTriangle size={16} aria-hidden />
        ) : (
          <IconCheck size={16} aria-hidden />
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
        iconClass="ui-flip"
        label="Undo"
        title="Undo (Ctrl+Z)"
        cannot={!canUndo && 'Nothing to undo'}
        onClick={editor.undo}
      />
      <IconButton
        tone="quiet"
        size={36}
        icon={IconArrowBackUp}
        iconClass="quiz-mirror"
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
