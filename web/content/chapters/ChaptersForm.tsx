import { Button, TextInput } from '@mantine/core'
import { IconCheck, IconFileText, IconPlayerPlay, IconPlus, IconTrash } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { readAudience } from '#contract/audience/audience.ts'
import { timeOf } from '#contract/videos/chapter-text.ts'
import { chapterLimits } from '#contract/videos/chapter-limits.ts'
import { readChapters, saveChapters, type Chapters } from '#contract/videos/chapters.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { fetchFresh, useChange, useEndpoint } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { formatClock, plural } from '#web/ui/format.ts'
import { IconButton } from '#web/ui/IconButton.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { chaptersOf, lineOf, lineOfChapter, rowOf, withChapterAt, wordsOf, type ChapterRow } from './rows.ts'
import { usePlayerSecond } from '../usePlayerSecond.ts'
import classes from './ChaptersForm.module.css'

const FromText = dialogOnDemand(async () => (await import('./FromText.tsx')).FromText)

type Props = {
  videoId: string
  /** What plays, once it is there. */
  video: HTMLVideoElement | undefined
  /** Goes to that moment and plays. */
  onPlay: (ms: number) => void
}

type Values = { chapters: string[] }
const valuesOf = ({ chapters }: Chapters): Values => ({ chapters: chapters.map(lineOfChapter) })

/** The chapters of the version that plays, as a list that is saved as a whole. */
export function ChaptersForm({ videoId, video, onPlay }: Props) {
  const params = { videoId }
  const loaded = useEndpoint(readChapters, { params })
  const change = useChange(saveChapters, [readChapters, readVideo, readAudience])
  const list = useRef<HTMLOListElement>(null)
  const [isPasting, setPasting] = useState(false)
  const { durationMs } = loaded
  const isRight = (lines: string[]) => chaptersOf(lines, durationMs).faults.size === 0
  const { form, layout, isDirty } = useEditForm<Chapters, Values>({
    what: 'these chapters',
    schema: z.object({ chapters: z.array(z.string()).check(z.refine(isRight, { error: 'invalid' })) }),
    labels: { chapters: 'Chapters' },
    loaded,
    read: () => fetchFresh(readChapters, { params }),
    valuesOf,
    draft: `chapters:${loaded.versionId}`,
    trace: { entity: 'video', entityId: videoId },
    words: (_field, value) => (typeof value === 'string' ? wordsOf(value) : undefined),
    save({ chapters }, condition) {
      const body = { chapters: chaptersOf(chapters, durationMs).chapters }
      return change.mutateAsync({ params, body, ...condition })
    },
    onSaved: async () => toast.success('The chapters are saved.'),
  })
  const lines = form.getValues().chapters
  const { faults } = chaptersOf(lines, durationMs)
  const set = (next: string[]) => form.setFieldValue('chapters', next)
  const unchecked = lines.filter((line) => rowOf(line).toCheck).length

  const focus = (at: number, field: 'time' | 'title') =>
    requestAnimationFrame(() =>
      list.current?.querySelectorAll<HTMLInputElement>(`input[data-field="${field}"]`)[at]?.focus(),
    )
  const add = (ms: number) => {
    const next = withChapterAt(lines, ms)
    set(next.lines)
    focus(next.at, 'title')
  }
  const remove = (at: number) => {
    set(lines.toSpliced(at, 1))
    focus(Math.min(at, lines.length - 2), 'title')
  }
  return (
    <section className={classes.editor} aria-labelledby="chapters-title">
      <FormLayout {...layout} submitLabel="Save chapters">
        <div>
          <h2 id="chapters-title">Chapters</h2>
          <p className={shapes.hint}>
            Viewers see them in the player and in a list. Reports say what was seen of each.
          </p>
        </div>
        {unchecked > 0 && (
          <Notice tone="warning">
            {unchecked === 1
              ? 'The video was replaced, and something else may play at one chapter now. Viewers are not shown it until you have checked it.'
              : `The video was replaced, and something else may play at ${unchecked} chapters now. Viewers are not shown them until you have checked them.`}
          </Notice>
        )}
        {lines.length > 0 && (
          <ol ref={list} id="field-chapters" tabIndex={-1} className={classes.list}>
            {[...lines.entries()].map(([at, line]) => (
              <Row
                // Rows have no name of their own: what is typed changes all that they hold.
                key={at}
                number={at + 1}
                row={rowOf(line)}
                fault={faults.get(at)}
                onChange={(row) => set(lines.with(at, lineOf(row)))}
                onPlay={onPlay}
                onRemove={() => remove(at)}
              />
            ))}
          </ol>
        )}
        <div className={shapes.row}>
          <AddHere video={video} isFull={lines.length >= chapterLimits.count} onAdd={add} />
          <Button
            variant="default"
            leftSection={<IconFileText size={16} aria-hidden />}
            onClick={() => setPasting(true)}
          >
            From text or a file
          </Button>
          {lines.length > 0 && <span className={shapes.hint}>{plural(lines.length, 'chapter')}</span>}
        </div>
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} isKept />
      <Suspense>
        {isPasting && (
          <FromText
            text={lines.map(wordsOf).join('\n')}
            durationMs={durationMs}
            onTake={(chapters) => {
              // What is still the same is still to be checked.
              const taken = chapters.map((chapter) => lineOfChapter({ ...chapter, toCheck: false }))
              set(taken.map((line) => (lines.includes(`?${line}`) ? `?${line}` : line)))
              setPasting(false)
            }}
            onClose={() => setPasting(false)}
          />
        )}
      </Suspense>
    </section>
  )
}

type RowProps = {
  number: number
  row: ChapterRow
  fault: string | undefined
  onChange: (row: ChapterRow) => void
  onPlay: (ms: number) => void
  onRemove: () => void
}

function Row({ number, row, fault, onChange, onPlay, onRemove }: RowProps) {
  const { time, title, toCheck } = row
  const startMs = timeOf(time)
  const name = title.trim() || `chapter ${number}`
  const isAtTime = fault !== undefined && title.trim() !== '' && title.length <= chapterLimits.title
  return (
    <li data-check={toCheck || undefined}>
      <div className={classes.row}>
        <TextInput
          data-field="time"
          aria-label={`Time of chapter ${number}`}
          inputMode="decimal"
          value={time}
          maxLength={12}
          error={isAtTime}
          // Whoever types its time has looked.
          onChange={({ currentTarget: { value } }) => onChange({ ...row, time: value, toCheck: false })}
        />
        <TextInput
          data-field="title"
          aria-label={`Title of chapter ${number}`}
          value={title}
          maxLength={chapterLimits.title}
          error={fault !== undefined && !isAtTime}
          onChange={({ currentTarget: { value } }) => onChange({ ...row, title: value })}
        />
        <IconButton
          tone="quiet"
          icon={IconPlayerPlay}
          label={`Play from ${name}`}
          title="Play from here"
          cannot={startMs === undefined && 'Write a time such as 3:10.'}
          onClick={() => onPlay(startMs ?? 0)}
        />
        <IconButton
          tone="quiet"
          icon={IconTrash}
          label={`Remove ${name}`}
          title="Remove"
          onClick={onRemove}
        />
      </div>
      {fault !== undefined && <p className={classes.fault}>{fault}</p>}
      {toCheck && (
        <div className={shapes.row}>
          <span className={shapes.hint}>To check: is this still what plays here?</span>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconCheck size={14} aria-hidden />}
            aria-label={`${name} is right`}
            onClick={() => onChange({ ...row, toCheck: false })}
          >
            It is right
          </Button>
        </div>
      )}
    </li>
  )
}

type AddProps = { video: HTMLVideoElement | undefined; isFull: boolean; onAdd: (ms: number) => void }

/** At the place where the player stands. */
function AddHere({ video, isFull, onAdd }: AddProps) {
  const seconds = usePlayerSecond(video)
  return (
    <Button
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      disabled={isFull}
      onClick={() => onAdd(seconds * 1_000)}
    >
      {isFull
        ? `${chapterLimits.count} chapters are the most`
        : `Add a chapter at ${formatClock(seconds * 1_000)}`}
    </Button>
  )
}
