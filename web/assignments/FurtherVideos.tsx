import { Button, Input, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import { useRef, useState, type MouseEvent } from 'react'
import { mostSteps } from '#contract/assignments/assignments.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { VideoChoice } from '#web/transmissions/compose/VideoChoice.tsx'
import { IconButton } from '#web/ui/IconButton.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import type { Further } from './form.ts'

type Props = {
  organizationId: string
  further: readonly Further[]
  error: string | undefined
  onChange: (further: readonly Further[]) => void
}

/** Chooses videos that follow the first one, in the order in which people see them. */
export function FurtherVideos({ organizationId, further, error, onChange }: Props) {
  const [said, setSaid] = useState('')
  const add = useRef<HTMLButtonElement>(null)
  const patch = (key: string, more: Partial<Further>) =>
    onChange(further.map((one) => (one.key === key ? { ...one, ...more } : one)))
  const move = (from: number, to: number) => {
    const [moved] = further.slice(from, from + 1)
    if (!moved) return
    onChange(further.toSpliced(from, 1).toSpliced(to, 0, moved))
    setSaid(`“${moved.name}” is number ${to + 2} now.`)
  }
  const remove = (at: number) => {
    onChange(further.toSpliced(at, 1))
    add.current?.focus()
  }
  const isIncomplete = further.some(({ video }) => video === null)
  return (
    <fieldset className={shapes.stack} id={fieldId('further')} tabIndex={-1}>
      <legend>Further videos</legend>
      {further.length > 0 && (
        <p className={shapes.hint}>Each begins for everybody once they have completed the one before.</p>
      )}
      {further.map((one, at) => (
        <Row
          key={one.key}
          {...{ organizationId, one, at }}
          count={further.length}
          error={one.video === null ? error : undefined}
          onPatch={(more) => patch(one.key, more)}
          onMove={(to) => move(at, to)}
          onRemove={() => remove(at)}
        />
      ))}
      {error && !isIncomplete && (
        <div>
          <Input.Error>{error}</Input.Error>
        </div>
      )}
      {further.length + 1 < mostSteps && (
        <Button
          ref={add}
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => onChange([...further, { key: crypto.randomUUID(), name: '', video: null }])}
        >
          Add a further video
        </Button>
      )}
      <p className={shapes.sr} role="status">
        {said}
      </p>
    </fieldset>
  )
}

type RowProps = {
  organizationId: string
  one: Further
  at: number
  count: number
  error: string | undefined
  onPatch: (more: Partial<Further>) => void
  onMove: (to: number) => void
  onRemove: () => void
}

function Row({ organizationId, one, at, count, error, onPatch, onMove, onRemove }: RowProps) {
  const { name, video } = one
  const number = at + 2
  const called = video === null ? `video ${number}` : `“${name || video.title}”`
  // Moving the row takes the focus away from its button.
  const moveTo = (to: number) => (event: MouseEvent<HTMLButtonElement>) => {
    const button = event.currentTarget
    onMove(to)
    requestAnimationFrame(() => button.focus())
  }
  return (
    <div className={`${shapes.tile} ${shapes.pad} ${shapes.stack}`}>
      <VideoChoice
        legend={`Video ${number}`}
        field={`further-${one.key}`}
        organizationId={organizationId}
        chosen={video}
        error={error}
        onChoose={(chosen) =>
          onPatch({ video: chosen, ...((name === '' || name === video?.title) && { name: chosen.title }) })
        }
      />
      {video !== null && (
        <TextInput
          label={`Name of video ${number}`}
          description="Left empty, it is called like the video."
          maxLength={200}
          value={name}
          onChange={(event) => onPatch({ name: event.currentTarget.value })}
        />
      )}
      <div className={shapes.row}>
        <IconButton
          icon={IconArrowUp}
          label={`Move ${called} up`}
          title="Move up"
          cannot={at === 0 && 'This is the first of them'}
          onClick={moveTo(at - 1)}
        />
        <IconButton
          icon={IconArrowDown}
          label={`Move ${called} down`}
          title="Move down"
          cannot={at === count - 1 && 'This is the last'}
          onClick={moveTo(at + 1)}
        />
        <IconButton
          icon={IconTrash}
          tone="danger"
          label={`Remove ${called}`}
          title="Remove"
          onClick={onRemove}
        />
      </div>
    </div>
  )
}
