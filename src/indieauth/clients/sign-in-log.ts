import { recordAppAttempt } from "../../accounts/app-attempts";
import { Refusal } from "../../errors";
import type { Platen } from "../../platen";

/** A step of signing in to an app, logged for the owner. */
interface SignInStep {
  /** The client_id as sent; null if missing. */
  clientId: string | null;
  asked: string;
  /** null: not known yet. */
  accountId: number | null;
}

/** Runs a step and logs its outcome for the owner. @param outcome the entry after a success; null: none */
export async function recordSignInStep<Result>(
  platen: Platen,
  step: SignInStep,
  work: () => Result | Promise<Result>,
  outcome: (result: Result) => string | null,
): Promise<Result> {
  const attempt = { app: hostOf(step.clientId), asked: step.asked, clientId: step.clientId };
  try {
    const result = await work();
    const says = outcome(result);
    if (says !== null) recordAppAttempt(platen, step.accountId, { ...attempt, outcome: says, isGood: true });
    return result;
  } catch (fault) {
    if (fault instanceof Refusal)
      recordAppAttempt(platen, step.accountId, { ...attempt, outcome: fault.message, isGood: false });
    throw fault;
  }
}

function hostOf(clientId: string | null): string {
  return URL.parse(clientId ?? "")?.host || "An unknown app";
}
