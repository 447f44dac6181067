import { Button } from '@mantine/core'
import { readImport } from '#contract/imports/imports.ts'
import { cancelOperation, listOperations } from '#contract/operations.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '../api/query.ts'
import { usePageSearch } from '../layout/page.ts'
import { search } from './search.ts'

/** Throws the file away before anything has come of it. */
export function CancelDraft({ importId }: { importId: string }) {
  const [, change] = usePageSearch(search)
  const cancel = useChange(cancelOperation, [listOperations, readImport])
  const drop = () =>
    attempt(async () => {
      await cancel.mutateAsync({ params: { operationId: importId } })
      change({ id: undefined, step: undefined, outcome: undefined })
    })
  return (
    <Button variant="subtle" loading={cancel.isPending} onClick={() => void drop()}>
      Use another file
    </Button>
  )
}
