import { recordAppAttempt } from "../../accounts/app-attempts";
import { Refusal } from "../../errors";
import type { Platen } from "../../platen";

/** What an app asks while its user signs in; the owner is told what came of it. */
interface SignInStep {
  /** As the app says it; null where it says none. */
  clientId: string | null;
  asked: string;
  /** Null: not known yet. */
  accountId: number | null;
}

/** Does it, and tells the owner. @param outcome what to tell where it succeeds; null: nothing */
export async function recordSignInStep<Result>(
  platen: Platen,
  step: SignInStep,
  work: () => Result | Promise<Result>,
  outcome: (result: Result) => string | null,
): Promise<Result> {
  const told = { app: hostOf(step.clientId), asked: step.asked, clientId: step.clientId };
  try {
    const result = await work();
    const says = outcome(result);
    if (says !== null) recordAppAttempt(platen, step.accountId, { ...told, outcome: says, isGood: true });
    return result;
  } catch (fault) {
    if (fault instanceof Refusal)
      recordAppAttempt(platen, step.accountId, { ...told, outcome: fault.message, isGood: false });
    throw fault;
  }
}

function hostOf(clientId: string | null): string {
  return URL.parse(clientId ?? "")?.host || "An app that does not say which it is";
}
