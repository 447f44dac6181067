import type { Quiz, QuizDraft } from '#contract/quizzes/quizzes.ts'
import {
  openSelfSaving,
  type DraftKind,
  type SelfSaving,
  type SelfSavingState,
  type SelfSavingWays,
  type StoredDraft,
} from '#web/api/forms/selfSaving/selfSaving.ts'
import { isSameDraft, normalised } from './draft.ts'
import { mergeDrafts, valueAt, withValueAt, type DraftPlace } from './versions/mergeDrafts.ts'

/** Questions are told apart by their keys, so that those of two people become one draft question by question. */
export const quizDrafts: DraftKind<QuizDraft, DraftPlace> = {
  isSame: isSameDraft,
  normalised,
  merge: mergeDrafts,
  valueAt,
  withValueAt,
}

export type Editor = SelfSaving<Quiz, QuizDraft, DraftPlace>
export type EditorState = SelfSavingState<Quiz, QuizDraft, DraftPlace>

/** The draft of a quiz while it is being written. */
export const openEditor = (
  loaded: Quiz,
  ways: Omit<SelfSavingWays<Quiz, QuizDraft, DraftPlace>, 'kind'>,
  stored: StoredDraft<QuizDraft> | null = null,
): Editor => openSelfSaving(loaded, { ...ways, kind: quizDrafts }, stored)
