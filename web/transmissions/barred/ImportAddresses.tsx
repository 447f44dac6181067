import { Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import {
  importBarredAddresses,
  listBarredAddresses,
  mostInList,
} from '#contract/transmissions/barred-addresses.ts'
import { fieldProblems } from '#contract/problems.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { listFiles, useListFile } from '#web/imports/useListFile.tsx'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import '#web/ui/fields/fields.ts'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { readAddressList, type AddressList } from './addressList.ts'
import { shortened } from '#contract/platform/text/text.ts'

type Props = { orgId: string; onClose: () => void }
type Outcome = Reply<typeof importBarredAddresses>
type Fault = AddressList['faults'][number]

/** A file may have this number of bytes, which is several times what a list of the largest size has. */
const mostBytes = 4_000_000
const shown = 5
const mostText = `At most ${formatNumber(mostInList)} addresses at once.`

/** Takes a list that is pasted or comes from a file. What is in it is seen before anything is barred. */
export function ImportAddresses({ orgId, onClose }: Props) {
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  if (outcome) return <Barred outcome={outcome} onClose={onClose} />
  return <GiveList orgId={orgId} onClose={onClose} onDone={setOutcome} />
}

function GiveList({ orgId, onClose, onDone }: Props & { onDone: (outcome: Outcome) => void }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const bar = useChange(importBarredAddresses, [listBarredAddresses])
  const { found, faults } = readAddressList(text)
  const change = (given: string) => {
    setText(given)
    setError(null)
  }
  const list = useListFile({ onText: change, onFault: setError })
  const take = async (file: File) => {
    if (file.size > mostBytes) return setError(`This file is too large. ${mostText}`)
    await list.take(file)
  }
  const submit = async () => {
    if (found.length === 0) return setError('There is no address in it.')
    if (found.length > mostInList) return setError(mostText)
    try {
      const addresses = found.map(({ address, reason }) => ({ address, reason }))
      onDone(await bar.mutateAsync({ params: { orgId }, body: { addresses } }))
    } catch (failure) {
      setError(sentence(failure))
    }
  }
  return (
    <FormDialog
      title="Import addresses to bar"
      submitLabel={found.length === 0 ? 'Bar them' : `Bar ${plural(found.length, 'address', 'addresses')}`}
      isBusy={bar.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <Textarea
          label="Addresses"
          description="One on each line, or a table with the address in its first column and the reason in its second."
          rows={8}
          autoComplete="off"
          spellCheck={false}
          value={text}
          error={error}
          data-autofocus
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
        <div>
          <FileButton
            accept={listFiles}
            variant="default"
            loading={list.isBusy}
            onFiles={([file]) => file && void take(file)}
          >
            Choose an Excel, CSV or text file
          </FileButton>
        </div>
        {list.question}
        <div role="status">
          {text.trim() !== '' && <p>{plural(found.length, 'address', 'addresses')} found.</p>}
          {faults.length > 0 && <Faults faults={faults} />}
        </div>
      </Stack>
    </FormDialog>
  )
}

/** Lists what is left out, the first of them with the reason. */
function Faults({ faults }: { faults: readonly Fault[] }) {
  const more = faults.length - shown
  return (
    <>
      <p>
        {faults.length === 1 ? 'One line is left out:' : `${formatNumber(faults.length)} lines are left out:`}
      </p>
      <ul>
        {faults.slice(0, shown).map(({ line, text, problem }) => (
          <li key={line}>
            Line {formatNumber(line)}, “{shortened(text, 41)}”: {fieldProblems[problem]}
          </li>
        ))}
      </ul>
      {more > 0 && <p>And {formatNumber(more)} more.</p>}
    </>
  )
}

function Barred({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  const { added, already, refused } = outcome
  return (
    <Dialog isOpen title="The list is barred" onClose={onClose}>
      <p>
        {added === 1
          ? 'One address was added. No message is sent to it any more.'
          : `${formatNumber(added)} addresses were added. No message is sent to them any more.`}
      </p>
      {already > 0 && (
        <p>
          {already === 1
            ? 'One was barred already and stays as it was.'
            : `${formatNumber(already)} were barred already and stay as they were.`}
        </p>
      )}
      {refused.length > 0 && <p>{plural(refused.length, 'line was', 'lines were')} refused.</p>}
    </Dialog>
  )
}
