import { Button, Textarea } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { createImport, importLimits } from '#contract/imports/imports.ts'
import { listOperations, type Operation } from '#contract/operations.ts'
import { explain, type Explanation } from '../api/errors.ts'
import { useChange, useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePageSearch } from '../layout/page.ts'
import { offer } from '../ui/browser/download.ts'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { FileButton } from '../ui/fields/FileButton.tsx'
import { plural } from '../ui/format.ts'
import { Lines } from '../ui/Lines.tsx'
import { Notice } from '../ui/feedback/Notice.tsx'
import { StatusBadge, type Tone } from '../ui/figures/StatusBadge.tsx'
import { useFileDrop } from '../ui/fields/useFileDrop.ts'
import { RelativeTime } from '../ui/Time.tsx'
import { listFiles, useListFile } from './useListFile.tsx'
import classes from './Upload.module.css'
import { search } from './search.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { cut, inOneLine } from '#contract/platform/text/text.ts'

const template =
  '\uFEFFName,Email,Phone,External ID,Groups\r\nAda Berg,ada.berg@example.com,+49 30 5550100,4711,Night shift; Warehouse\r\n'

/** A file that is dropped or chosen, or rows that are pasted. */
export function Upload({ orgId }: { orgId: string }) {
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [, change] = usePageSearch(search)
  const upload = useChange(createImport, [listOperations])
  const send = async (fileName: string, content: string) => {
    setProblem(null)
    try {
      if (content.length > importLimits.characters) return setProblem({ ...tooLarge, retry: false })
      const made = await upload.mutateAsync({
        params: { orgId },
        body: { fileName, content },
        timeout: 180_000,
      })
      change({ id: made.id, step: 'columns' })
    } catch (error) {
      setProblem(explain(error))
    }
  }
  const list = useListFile({
    onText: (text, file) => send(cut(inOneLine(file.name), 200), text),
    onFault: (detail) => setProblem({ title: 'This file cannot be read.', detail, retry: false }),
  })
  const take = async (file: File) => {
    setProblem(null)
    if (file.size > importLimits.characters * 2) return setProblem({ ...tooLarge, retry: false })
    await list.take(file)
  }
  return (
    <>
      {problem && (
        <Notice tone="danger" role="alert">
          <strong>{problem.title}</strong> {problem.detail}
        </Notice>
      )}
      {list.question ? (
        <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-label="Letters of the file">
          {list.question}
        </section>
      ) : (
        <>
          <Drop isBusy={list.isBusy || upload.isPending} onFile={(file) => void take(file)} />
          <Paste isBusy={upload.isPending} onPaste={(text) => void send('Pasted rows', text)} />
          <Earlier orgId={orgId} />
        </>
      )}
    </>
  )
}

const tooLarge = {
  title: 'This file is too large.',
  detail: 'A file may have at most 30 MB and 200,000 rows. Please divide it into smaller ones.',
}

function Drop({ isBusy, onFile }: { isBusy: boolean; onFile: (file: File) => void }) {
  const isOver = useFileDrop(([file]) => file && !isBusy && onFile(file))
  return (
    <section className={`${shapes.card} ${classes.drop}`} aria-label="File" data-over={isOver || undefined}>
      <EmptyState
        title="Drop an Excel or CSV file here"
        icon={<IconFileSpreadsheet size={24} />}
        action={
          <div className={shapes.row}>
            <FileButton
              accept={listFiles}
              loading={isBusy}
              data-create
              onFiles={([file]) => file && onFile(file)}
            >
              Choose a file
            </FileButton>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => offer(new Blob([template], { type: 'text/csv' }), 'people-template.csv')}
            >
              Download a template
            </Button>
          </div>
        }
      >
        An Excel workbook (.xlsx), of which the first sheet is read, or a list that Numbers, Google Sheets or
        a staff system has saved as CSV. Its first row has to name the columns, such as Name and Email. Up to
        200,000 rows.
      </EmptyState>
    </section>
  )
}

function Paste({ isBusy, onPaste }: { isBusy: boolean; onPaste: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-label="Paste">
      <Textarea
        label="Or paste rows from a spreadsheet"
        description="Copy them together with the first row, which names the columns."
        rows={4}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {text.trim() !== '' && (
        <Button loading={isBusy} onClick={() => onPaste(text)}>
          Read the rows
        </Button>
      )}
    </section>
  )
}

const states: Partial<Record<Operation['state'], { tone: Tone; word: string }>> = {
  draft: { tone: 'neutral', word: 'Not started' },
  done: { tone: 'success', word: 'Imported' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
  failed: { tone: 'danger', word: 'Failed' },
  undone: { tone: 'neutral', word: 'Undone' },
}
const working = { tone: 'running', word: 'Running' } as const

/** What was begun or done before, so that nothing has to be uploaded twice. */
function Earlier({ orgId }: { orgId: string }) {
  const { page } = useList(listOperations, {
    query: { organizationId: orgId, kind: 'users.import', limit: 5 },
  })
  if (!page || page.items.length === 0) return null
  return (
    <section className={`${shapes.card} ${shapes.pad}`} aria-labelledby="import-earlier">
      <h2 id="import-earlier">Earlier files</h2>
      <Lines>
        {page.items.map(({ id, subject, total, state, createdAt }) => {
          const { tone, word } = states[state] ?? working
          return (
            <li key={id}>
              <div>
                <Link to={paths.userImport(orgId)} search={{ id }}>
                  {subject ?? 'A file'}
                </Link>
                <small>{plural(total, 'row')}</small>
              </div>
              <RelativeTime iso={createdAt} />
              <StatusBadge tone={tone}>{word}</StatusBadge>
            </li>
          )
        })}
      </Lines>
    </section>
  )
}
