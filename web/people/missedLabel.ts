import { formatNumber } from '../ui/format.ts'

/** The offer to send what did not reach somebody at an earlier address. */
export const sendMissedLabel = (n: number) => `Send what was missed (${formatNumber(n)})`
