import { Button } from '@mantine/core'
import { IconBadgeCc, IconDownload, IconPencil, IconPlus, IconReplace, IconTrash } from '@tabler/icons-react'
import { useCallback, useState } from 'react'
import {
  captionTypes,
  chooseCaptions,
  deleteCaption,
  putCaption,
  readCaption,
  readCaptions,
  type Caption,
  type CaptionFormat,
} from '#contract/videos/captions.ts'
import { plural } from '#contract/platform/text/format.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { attempt, useBusy } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { useChange, useEndpoint } from '#web/api/query.ts'
import { undoing } from '#web/lists/operations/undo.ts'
import { paths } from '#web/paths.ts'
import { offer } from '#web/ui/browser/download.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { useFileDrop } from '#web/ui/fields/useFileDrop.ts'
import { formatClock, formatMoment } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { AddCaptions, type Adding } from './AddCaptions.tsx'
import { Speech } from './Speech.tsx'
import { isCaptionFile, kindLabels, nameOfLanguage, whoRead } from './words.ts'
import { WriteCaptions } from './WriteCaptions.tsx'

type Props = { videoId: string; title: string }

const nameOf = ({ language, kind }: Caption) => `${nameOfLanguage(language)}, ${kindLabels[kind].label}`
const keyOf = ({ language, kind }: Pick<Caption, 'language' | 'kind'>) => `${language} ${kind}`

/** The file as it is stored, saved by the browser under a name that says what it is. */
const save = (videoId: string, caption: Caption, asked: { format: CaptionFormat; former?: 'true' }) =>
  attempt(async () => {
    const { language, kind } = caption
    const file = await fetchFile(readCaption, { params: { videoId, language }, query: { kind, ...asked } })
    offer(file, file.name)
  })

/** The captions of a video: what there is, from which file, and for which version. */
export function Captions({ videoId, title }: Props) {
  const params = { videoId }
  const found = useEndpoint(readCaptions, { params })
  const { items, version } = found
  const [adding, setAdding] = useState<Adding>()
  const [isWriting, setWriting] = useState(false)
  const [leaving, setLeaving] = useState<Caption>()
  const choose = useChange(chooseCaptions, [readCaptions, readVideo])
  const remove = useChange(deleteCaption, [readCaptions, readVideo])
  const take = useCallback((files: File[]) => {
    const file = files.find(isCaptionFile)
    if (file) setAdding({ file })
    else toast.failure('Only captions that end in .vtt or .srt can be dropped here.')
  }, [])
  const isOver = useFileDrop(take)
  const shownFirst = items.find(({ isDefault }) => isDefault)
  const show = (value: string) => {
    const shown = items.find((one) => keyOf(one) === value)
    const body = { shown: shown ? { language: shown.language, kind: shown.kind } : null }
    return attempt(
      () => choose.mutateAsync({ params, body, ifMatch: found }),
      shown ? `${nameOf(shown)}: shown from the start.` : 'No captions are shown from the start.',
    )
  }
  const write = (
    <Button
      variant="default"
      leftSection={<IconPencil size={16} aria-hidden />}
      onClick={() => setWriting(true)}
    >
      Write captions
    </Button>
  )
  const add = (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding({})}>
      Add captions
    </Button>
  )
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="captions-title">
      <div className={shapes.spaceBetween}>
        <h2 id="captions-title">Captions</h2>
        {items.length > 0 && (
          <div className={shapes.row}>
            {add}
            {write}
          </div>
        )}
      </div>
      {isOver && <p className={shapes.hint}>Drop the file to add its captions.</p>}
      {items.length === 0 ? (
        <EmptyState
          title="This video has no captions"
          icon={<IconBadgeCc size={32} />}
          action={
            <div className={shapes.row}>
              {add}
              {write}
            </div>
          }
        >
          Whoever cannot hear it learns nothing from it, and public bodies have to offer captions (WCAG
          1.2.2). Add a VTT or SRT file, drop it here, or write them beside the video.
        </EmptyState>
      ) : (
        <>
          <PlainTable
            name="Captions"
            heads={['Language', 'Kind', 'Captions', 'File', 'Proof-read', 'Actions']}
          >
            {items.map((caption) => (
              <Row
                key={keyOf(caption)}
                caption={caption}
                isOlder={version !== null && caption.madeFor < version}
                videoId={videoId}
                onReplace={() => setAdding({ replaces: caption })}
                onRemove={() => setLeaving(caption)}
              />
            ))}
          </PlainTable>
          {items
            .filter(({ former }) => former !== null)
            .map((caption) => (
              <Former key={keyOf(caption)} videoId={videoId} caption={caption} />
            ))}
          <NativeChoice
            label="Shown from the start"
            description="To whoever has chosen nothing yet. Everybody can turn captions on and off, and the choice is kept."
            value={shownFirst ? keyOf(shownFirst) : ''}
            disabled={choose.isPending}
            onChange={(event) => void show(event.currentTarget.value)}
            data={[
              { value: '', label: 'None' },
              ...items
                .filter(({ kind, cues }) => kind !== 'descriptions' && cues > 0)
                .map((caption) => ({ value: keyOf(caption), label: nameOf(caption) })),
            ]}
          />
        </>
      )}
      <Speech videoId={videoId} present={items} />
      {adding && (
        <AddCaptions videoId={videoId} adding={adding} present={items} onClose={() => setAdding(undefined)} />
      )}
      {isWriting && <WriteCaptions videoId={videoId} present={items} onClose={() => setWriting(false)} />}
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={leaving ? `Remove ${nameOf(leaving)}?` : ''}
        confirmLabel="Remove captions"
        onConfirm={() =>
          attempt(async () => {
            if (!leaving) return
            const { language, kind } = leaving
            const { operationId } = await remove.mutateAsync({
              params: { videoId, language },
              query: { kind },
            })
            toast.success('The captions are removed.', undoing(operationId))
          })
        }
        onClose={() => setLeaving(undefined)}
      >
        <p>
          They are gone from “{title}” at once. They can be brought back for 30 days, under “Recently
          removed”.
        </p>
      </ConfirmDialog>
    </section>
  )
}

type RowProps = {
  videoId: string
  caption: Caption
  isOlder: boolean
  onReplace: () => void
  onRemove: () => void
}

function Row({ videoId, caption, isOlder, onReplace, onRemove }: RowProps) {
  const { language, kind, cues, fileName, madeFor, isDefault, recognisedWith, proofRead } = caption
  return (
    <tr>
      <td data-label="Language">
        <strong>{nameOfLanguage(language)}</strong>
        {isDefault && <div className={shapes.hint}>Shown from the start</div>}
      </td>
      <td data-label="Kind">{kindLabels[kind].label}</td>
      <td data-label="Captions">{cues}</td>
      <td data-label="File">
        <span style={{ overflowWrap: 'anywhere' }}>{fileName ?? recognisedWith ?? 'Written here'}</span>
        {isOlder && <div className={shapes.hint}>Made for version {madeFor}</div>}
      </td>
      <td data-label="Proof-read">
        {proofRead ? (
          <StatusBadge tone="success" title={whoRead(proofRead)}>
            {formatMoment(proofRead.at)}
          </StatusBadge>
        ) : recognisedWith === null ? (
          <StatusBadge tone="neutral">Not yet</StatusBadge>
        ) : (
          <StatusBadge tone="warning">Recognised by machine, not proof-read</StatusBadge>
        )}
        {proofRead?.by && <div className={shapes.hint}>{proofRead.by.name}</div>}
      </td>
      <td>
        <RowMenu
          name={nameOf(caption)}
          acts={[
            {
              icon: IconPencil,
              label: 'Edit and proof-read',
              way: { to: paths.videoCaptions(videoId, language), search: { kind } },
            },
            {
              icon: IconDownload,
              label: 'Download as VTT',
              onPress: () => void save(videoId, caption, { format: 'vtt' }),
            },
            {
              icon: IconDownload,
              label: 'Download as SRT',
              onPress: () => void save(videoId, caption, { format: 'srt' }),
            },
            { icon: IconReplace, label: 'Replace by a file', onPress: onReplace },
            { icon: IconTrash, label: 'Remove', isDangerous: true, onPress: onRemove },
          ]}
        />
      </td>
    </tr>
  )
}

/** What is not shown any more since the video was replaced, and the ways on. */
function Former({ videoId, caption }: { videoId: string; caption: Caption }) {
  const { former, language, kind, cues, fileName } = caption
  const put = useChange(putCaption, [readCaptions, readVideo])
  const [isBusy, run] = useBusy()
  if (!former) return null
  const [from, to] = former.part
  const keepAll = () =>
    run(
      async () => {
        const params = { videoId, language }
        const file = await fetchFile(readCaption, { params, query: { kind, former: 'true' } })
        await put.mutateAsync({
          params,
          query: { kind, ...(fileName !== null && { fileName }) },
          body: new Uint8Array(await file.arrayBuffer()),
          bodyType: captionTypes.vtt,
        })
      },
      `${nameOf(caption)}: shown again.`,
    )
  return (
    <Notice
      tone="warning"
      action={
        <>
          <Button
            variant="default"
            onClick={() => void save(videoId, caption, { format: 'vtt', former: 'true' })}
          >
            Download them
          </Button>
          {cues === 0 && (
            <Button variant="default" loading={isBusy} onClick={() => void keepAll()}>
              They fit the new version
            </Button>
          )}
        </>
      }
    >
      {nameOf(caption)}: {plural(former.cues, 'caption')} of the former version of the video, between{' '}
      {formatClock(from)} and {formatClock(to)}, not shown any more. Correct them or the file; once somebody
      marks them as proof-read, this note goes.
    </Notice>
  )
}
