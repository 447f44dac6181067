import { PageHead } from '#web/ui/PageHead.tsx'

export function TransmissionPage() {
  return <PageHead title="Transmission" />
}
