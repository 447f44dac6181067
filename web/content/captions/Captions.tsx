import { Button } from '@mantine/core'
import { IconBadgeCc, IconDownload, IconPlus, IconReplace, IconTrash } from '@tabler/icons-react'
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
import { offer } from '#web/ui/browser/download.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { useFileDrop } from '#web/ui/fields/useFileDrop.ts'
import { formatClock } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { RowMenu } from '#web/ui/table/RowMenu.tsx'
import { AddCaptions, type Adding } from './AddCaptions.tsx'
import { Speech } from './Speech.tsx'
import { isCaptionFile, kindLabels, nameOfLanguage } from './words.ts'

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
  const add = (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding({})}>
      Add captions
    </Button>
  )
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="captions-title">
      <div className={shapes.spaceBetween}>
        <h2 id="captions-title">Captions</h2>
        {items.length > 0 && add}
      </div>
      {isOver && <p className={shapes.hint}>Drop the file to add its captions.</p>}
      {items.length === 0 ? (
        <EmptyState title="This video has no captions" icon={<IconBadgeCc size={32} />} action={add}>
          Whoever cannot hear it learns nothing from it, and public bodies have to offer captions (WCAG
          1.2.2). Add a VTT or SRT file, or drop it here.
        </EmptyState>
      ) : (
        <>
          <PlainTable name="Captions" heads={['Language', 'Kind', 'Captions', 'File', 'Actions']}>
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
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={leaving ? `Remove ${nameOf(leaving)}?` : ''}
        confirmLabel="Remove captions"
        onConfirm={() =>
          attempt(async () => {
            if (!leaving) return
            const { language, kind } = leaving
            await remove.mutateAsync({ params: { videoId, language }, query: { kind } })
          }, 'The captions are removed.')
        }
        onClose={() => setLeaving(undefined)}
      >
        <p>
          They are gone from “{title}” at once, and cannot be brought back. Download the file before, if
          nobody has it.
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
  const { language, kind, cues, fileName, madeFor, isDefault, recognisedWith } = caption
  return (
    <tr>
      <td data-label="Language">
        <strong>{nameOfLanguage(language)}</strong>
        {isDefault && <div className={shapes.hint}>Shown from the start</div>}
      </td>
      <td data-label="Kind">{kindLabels[kind].label}</td>
      <td data-label="Captions">{cues}</td>
      <td data-label="File">
        <span style={{ overflowWrap: 'anywhere' }}>{fileName ?? recognisedWith ?? 'Without a name'}</span>
        {recognisedWith !== null && (
          <div>
            <StatusBadge tone="warning">Recognised by machine, not proof-read</StatusBadge>
          </div>
        )}
        {isOlder && <div className={shapes.hint}>Made for version {madeFor}</div>}
      </td>
      <td>
        <RowMenu
          name={nameOf(caption)}
          acts={[
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
      {formatClock(from)} and {formatClock(to)}, not shown any more. Correct the file, then replace it here.
    </Notice>
  )
}
