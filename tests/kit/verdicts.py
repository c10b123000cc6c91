#!/usr/bin/env python3
"""verdicts.py ROCAUDIT TABLE FOLDER - judge the files of FOLDER and hold the answers
against TABLE. Prints `ok` and `not ok` lines."""
import json
import subprocess
import sys


def judged(rocaudit, folder, row):
    command = [rocaudit, '--gpu', row['gpu'], '--format', 'json', '--rocm', '/']
    if row['options'] != '-':
        command += row['options'].split()
    return subprocess.run(command + [f"{folder}/{row['file']}"], capture_output=True,
                          check=False)


def verdict_of(report):
    """(verdict, covered, total); a file that is not listed has no device code."""
    if not report['files']:
        return 'none', 0, 0
    verdict = report['files'][0]['verdicts'][0]
    return verdict['verdict'], verdict['covered'], verdict['total']


def fault(row, done):
    if str(done.returncode) != row['exit']:
        return f"exit {done.returncode}, not {row['exit']}"
    try:
        verdict, covered, total = verdict_of(json.loads(done.stdout))
    except (ValueError, KeyError, IndexError) as error:
        return f'JSON: {error!r}'
    if verdict not in row['verdict'].split('|'):
        return f"{verdict}, not {row['verdict']}"
    for name, value in (('covered', covered), ('total', total)):
        if row[name] not in ('*', str(value)):
            return f'{name} {value}, not {row[name]}'
    return untold(row, json.loads(done.stdout)['findings'])


def untold(row, findings):
    """What the row says has to be told, RULE or RULE=TEXT with + between, and is not."""
    for wanted in filter(None, row.get('told', '').split('+')):
        rule, _, text = wanted.partition('=')
        if not any(finding['rule'] == rule and text in finding['message']
                   for finding in findings):
            return f'{wanted} is not told'
    return None


def main():
    rocaudit, table, folder = sys.argv[1:]
    failed = False
    with open(table, encoding='ascii') as lines:
        rows = [line.rstrip('\n').split('\t') for line in lines
                if line.strip() and not line.startswith('#')]
    for cells in rows[1:]:
        row = dict(zip(rows[0], cells))
        why = fault(row, judged(rocaudit, folder, row))
        name = f"{row['file']} on {row['gpu']}"
        print(f'not ok {name}: {why}' if why else f'ok {name}')
        failed |= why is not None
    return failed


if __name__ == '__main__':
    sys.exit(main())
