import { offerCopies } from "../../layout/browser/copy-buttons";

offerCopies();
