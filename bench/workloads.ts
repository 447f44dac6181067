import { claim } from './claim.ts'
import { duties } from './duties.ts'
import type { Figure } from './figures.ts'
import { ingest } from './ingest.ts'
import { kills } from './kills.ts'
import { lighthouse } from './pages/lighthouse.ts'
import { everySize, gate, people } from './people.ts'
import { mails } from './mails.ts'
import { play } from './play.ts'
import { processes } from './processes.ts'
import { reports } from './reports.ts'
import { moved, several } from './several.ts'
import { signIn } from './sign-in.ts'
import { weight } from './pages/weight.ts'

export type Options = { sessions: number; recipients: number | undefined; faults: number }

export type Workload = {
  name: string
  /** For the reader of the figures. */
  how: string
  measure: (options: Options) => Promise<Figure[]>
}

/** In the order of the report. */
export const workloads: readonly Workload[] = [
  {
    name: 'people',
    how: `What administrators do with people, in organizations of 1,000, 10,000, 100,000 and 1,000,000 at once in one database. The
floor (\`bench/floors/floor-people.ts\`) is Fastify with prepared statements on tables of its own, which have four indexes: it looks the
token up on each request, counts up to 10,000 exactly, writes a record with its entry of the audit in one statement, and signs in
with the same argon2id. Where nothing else is said, 8 connections and the organization of 10,000.`,
    measure: () => people(everySize),
  },
  {
    name: 'gate',
    how: `The same in organizations of 1,000 and 10,000 alone, and the batch of viewing. These are the ratios that the long tests hold
(\`bench/gate.long.test.ts\`): they measure them again and are red where one is more than 1.5 times what stands here.`,
    measure: gate,
  },
  {
    name: 'ingest',
    how: `Batches of viewing evidence of new sessions at 64 connections, each acknowledged after COMMIT. \`bench/floors/floor-ingest.ts\`
verifies the token and commits in groups; it neither validates nor limits, and has one index. Afterwards all acknowledged
batches are counted in the database.`,
    measure: ingest,
  },
  {
    name: 'processes',
    how: `What four api processes cost beside one, on one database and by turns: reading one person of 10,000 and pages of their list, at
16 connections that are shared out among them; and what four of the floor of *people* cost beside one of it, which is what this
machine takes for more processes than cores. CPU is that of the processes and of the database. Connections are counted in the
database.`,
    measure: processes,
  },
  {
    name: 'weight',
    how: `A browser with an empty cache opens the running product: sign-in, three lists until their rows are drawn, and the public page
of a video that was really uploaded and processed, before anybody presses play. Bytes as transferred (brotli, with headers),
kB = 1,000 bytes. Times are unthrottled and therefore without a target here. On a list of people, as wide as a phone and with a
quarter of the processor (\`bench/pages/phone.ts\`): from the press until what it asked for has been painted, the median of seven.
Slow is that phone at 1.6 Mbit/s and 150 ms; of lists, the median of five times.`,
    measure: weight,
  },
  {
    name: 'play',
    how: `The public page of a video of 18 s that was really uploaded and processed (720p with sound and the noise of a camera), opened
by five visitors with empty caches, and its button pressed: when idle time has fetched the engine, and as soon as there is a
button, which has no target because nobody is so fast. From the press to the first frame (\`requestVideoFrameCallback\`). Slow
is a phone of 412 px with a quarter of the processor, 1.6 Mbit/s and 150 ms: three round trips and what four seconds of picture
and sound weigh in the smallest rendition.`,
    measure: play,
  },
  {
    name: 'lighthouse',
    how: `Lighthouse with its own settings (a phone, simulated; where it says so, a desktop) over an installation of 30 organizations,
30 people, three videos and a transmission: medians of three runs with an empty cache. Scores are of 100. SEO is asked of
sign-in alone: search engines are told to keep out of all other pages, for which Lighthouse takes points. It is measured where
\`LIGHTHOUSE\` names a folder in which Lighthouse is installed (13.5.0 was used).`,
    measure: lighthouse,
  },
  {
    name: 'sign-in',
    how: `1,000 known addresses with a wrong password and 1,000 unknown ones against the running product, mixed by chance, one after
another over one connection, each from a network of its own so that no limit is near; the same for a forgotten password.
Compared are the answers themselves, and the requests right after them, in which work that an answer left behind could show.
The target is what a level 3 requirement of ASVS asks for: a difference under 5 %.`,
    measure: signIn,
  },
  {
    name: 'reports',
    how: `A year of viewing in 20 organizations with 220 videos as the aggregation leaves it behind, one with a fifth of everything,
and what goes with it: half as many deliveries as sessions in a transmission a week from each organization and one to 10,000
people, and half as many entries of the audit log, of people who did something on 50 days: the sums of different people are
settled as after an upgrade, and the reports on people, on engagement, on messages and on activity (period and the one
before), and the people sorted by time watched, asked for one organization and for all, 30 days and 12 months, by the
product's own functions; those on people and on engagement also for a group of 2,000 people, for a groupadmin with as many in
five groups, for a project of 20 videos, for the busiest video and for the largest transmission. CPU of the database;
100,000 sessions, or \`--sessions 1000000\`.`,
    measure: reports,
  },
  {
    name: 'duties',
    how: `Three years of two organizations in two time zones, over six changes to or from summer time, whose clock is moved on by four
hours at a time (\`server/testing/duties/\`): people join, leave, watch parts, answer questions, some of it reported late; videos
are replaced; administrators waive, extend, exempt, remind by hand, pause and change plans. Each day every obligation is held against
a model that works it out from everything that ever happened, without SQL; at the end every mail is.`,
    measure: duties,
  },
  {
    name: 'kills',
    how: `400 people owe three videos. Three processes plan and send, and one of them is killed after up to 0.4 s, 1,000 times, while the
mail server breaks off at each step of the protocol or defers a mail (\`server/testing/duties/kills.ts\`), people watch,
mails come back, and day follows day as soon as the mails of one have left. After four hundred kills a backup is made while the
kills go on; a hundred later the installation is set back to it. Every mail is held against the ledgers of before and after.`,
    measure: kills,
  },
  {
    name: 'several',
    how: `Two \`api\`, two \`worker\` and two \`media\` behind nginx, each with a folder of its own, with one database and one bucket
(OpenStack Swift): in half an hour machines are killed, frozen for up to 25 s and restarted, and the store is away, slow or fails, 60 times
(\`--faults\` says how often), while films are uploaded in pieces and converted, somebody begins every three seconds to watch a minute, people
are created and imported, questions are tried, and a message goes to 2,000 people through a mail server that breaks off and defers
(\`server/testing/several/campaign.ts\`). Whoever asks asks again with the same key; what they were told is held against what is there.`,
    measure: several,
  },
  {
    name: 'moved',
    how: `500 videos move from the folder of one machine into a bucket and back with \`npm run move\`, which is killed twenty times, one time
in five with the machine, while people upload, watch and create (\`server/testing/several/moved.ts\`). Every file is compared in
either place, and the evidence of who had watched before.`,
    measure: moved,
  },
  {
    name: 'claim',
    how: `100,000 recipients, or \`--recipients 1000000\`: the audience is put into the ledger, then claimed and settled in the batches
of 200 that the product uses, by the product's own functions, without mails between. \`bench/floors/floor-claim.ts\` keeps a ledger
without history, counters, suppressions, lanes and links. Settling stops after 45 s.`,
    measure: ({ recipients }) => claim(recipients),
  },
  {
    name: 'mails',
    how: `A transmission with a day to everybody of an organization (20,000 people, or \`--recipients 1000000\`) through the running
product, one process: the audience goes into the ledger, everybody owes the video, and every mail is written, signed (DKIM)
and handed to a mail server of this machine, which counts them. The send rate is unlimited. The floor
(\`bench/floors/floor-mails.ts\`) is nodemailer with twenty connections that signs and sends as many mails of a similar size. CPU is
that of the product and of the database.`,
    measure: ({ recipients }) => mails(recipients),
  },
]
