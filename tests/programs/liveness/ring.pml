/* The ring of ring.c for SPIN: a process per kind of message, so that SPIN's weak fairness of
 * processes is foresee's of messages. */
byte token = 1; /* where the token is going; 0: nowhere */
byte ask = 3;   /* where the request is going; 0: nowhere */
bool had[4], owed, invoked, answered;

active proctype Token()
{
    do
    :: d_step { token != 0 ->
           had[token] = 1;
           if
           :: token == 3 && owed -> owed = 0; answered = 1
           :: else
           fi;
#ifdef LOSES
           token = (token == 2 -> 0 : token % 3 + 1)
#else
           token = token % 3 + 1
#endif
       }
    od
}

active proctype Tick()
{
    do
    :: d_step { true -> skip }
    od
}

active proctype Ask()
{
    do
    :: d_step { ask != 0 ->
           invoked = 1;
#ifdef FORWARDS
           ask = ask % 3 + 1
#else
           owed = 1; ask = 0
#endif
       }
    od
}

ltl everybody { <> (had[1] && had[2] && had[3]) }
ltl served { [] ((invoked && !answered) -> <> answered) }
