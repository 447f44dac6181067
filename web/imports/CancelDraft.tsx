import { Button } from '@mantine/core'
import { readImport } from '#contract/imports.ts'
import { cancelOperation, listOperations } from '#contract/operations.ts'
import { sentence } from '../api/errors.ts'
import { useChange } from '../api/query.ts'
import { usePageSearch } from '../layout/page.ts'
import { toast } from '../ui/toasts.ts'
import { search } from './search.ts'

/** Throws the file away before anything has come of it. */
export function CancelDraft({ importId }: { importId: string }) {
  const [, change] = usePageSearch(search)
  const cancel = useChange(cancelOperation, [listOperations, readImport])
  const drop = async () => {
    try {
      await cancel.mutateAsync({ params: { operationId: importId } })
      change({ id: undefined, step: undefined, outcome: undefined })
    } catch (error) {
      toast.failure(sentence(error))
    }
  }
  return (
    <Button variant="subtle" loading={cancel.isPending} onClick={() => void drop()}>
      Use another file
    </Button>
  )
}
