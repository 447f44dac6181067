import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { BulkPreview } from '#contract/directory/bulk.ts'
import { language } from '#contract/platform/text/language.ts'
import type { Operation } from '#contract/operations.ts'
import { useBusy } from '#web/api/attempt.ts'
import { explain } from '#web/api/errors.ts'
import { follow } from '../operations/Operations.tsx'
import { reasonOf } from '../operations/labels.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { rememberPlace } from '#web/ui/browser/focus.ts'
import { formatNumber } from '#web/ui/format.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import shapes from '#web/ui/look/shapes.module.css'

export type Bulk = {
  title: string
  /** What the button says of so many: "Disable 3 people". */
  button: (count: number) => string
  /** What happens to so many: "3 people will be disabled." */
  willBe: (count: number) => ReactNode
  /** Where "Cancel" would be the action itself. */
  dismiss?: string
  isDangerous?: boolean
  /** What is lost, and what stays. */
  consequences?: ReactNode
  /** Asks the server what would happen; another key asks anew. Undefined as long as something is still to be chosen. */
  preview: { key: readonly unknown[]; ask: () => Promise<BulkPreview> } | undefined
  /** `expected`: how many the person was told. Null: it has happened already, and no operation goes on with it. */
  begin: (expected: number) => Promise<Pick<Operation, 'id'> | null>
  /** Asked first: false as long as a field of the action is not filled in, which then says so. */
  isReady?: () => boolean
}

/** What the dialog of one action says. */
export type BulkWording = Pick<Bulk, 'title' | 'button' | 'willBe' | 'isDangerous' | 'consequences'>

type Props = Bulk & {
  /** Fields of the action, above what would happen. */
  children?: ReactNode
  /** Called after the dialog has closed: what was selected is dealt with. */
  onBegun: () => void
  onClose: () => void
}

/** Says what would happen to how many before anything does, then leaves the rest to the job. */
export function BulkDialog(props: Props) {
  const { title, button, preview, begin, dismiss = 'Cancel', isDangerous, onBegun, onClose } = props
  const [isBusy, run] = useBusy()
  const { data, error } = useQuery({
    queryKey: ['bulk preview', ...(preview?.key ?? [])],
    queryFn: () => (preview ? preview.ask() : Promise.reject(new Error('nothing to ask'))),
    enabled: preview !== undefined,
    staleTime: 0,
    gcTime: 0,
  })
  const confirm = async (expected: number) => {
    if (props.isReady?.() === false) return
    await run(async () => {
      const begun = await begin(expected)
      if (begun) follow(begun.id)
      onClose()
      onBegun()
      // The bar is gone with the selection: what was pressed is no longer there.
      requestAnimationFrame(rememberPlace(null))
    })
  }
  const isPossible = data !== undefined && data.changing > 0
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      dismiss={data && !isPossible ? 'Close' : dismiss}
      actions={
        isPossible && (
          <Button
            {...(isDangerous ? { color: 'red' } : {})}
            loading={isBusy}
            onClick={() => void confirm(data.total)}
          >
            {button(data.changing)}
          </Button>
        )
      }
    >
      {props.children}
      {preview !== undefined && (
        <div role="status" style={{ minHeight: 48 }}>
          {error ? explain(error).detail : data ? <Preview {...props} data={data} /> : <Bone height={48} />}
        </div>
      )}
      {isPossible && props.consequences}
    </Dialog>
  )
}

const list = new Intl.ListFormat(language)
function namesText(names: readonly string[], count: number): string {
  const others = count - names.length
  return list.format(others > 0 ? [...names, `${formatNumber(others)} more`] : names)
}

function Preview({ data, willBe }: Props & { data: BulkPreview }) {
  const { changing, names, staying } = data
  const stay = staying.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <p>
        {willBe(changing)}
        {stay > 0 && ` ${formatNumber(stay)} ${stay === 1 ? 'stays' : 'stay'} unchanged:`}
      </p>
      {names.length > 0 && <p className={shapes.hint}>{namesText(names, changing)}</p>}
      {stay > 0 && (
        <ul className={shapes.bullets}>
          {staying.map(({ reason, count }) => (
            <li key={reason}>
              {formatNumber(count)}: {reasonOf(reason)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
