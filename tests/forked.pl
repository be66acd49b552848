# Runs a Perl scorer again and again without compiling it again: each run is a process of its own, forked from this one.
# Arguments: the script, the folder of its modules, seconds a run may take. Standard input: one run a line, each word in hexadecimal:
# the files for standard output and standard error, then the arguments. Standard output: the wait status of each run.
use strict;
use IO::Handle;
use POSIX ();
my $forked;
# Memory need not be freed piece by piece.
END { if ($forked) { STDOUT->flush; STDERR->flush; POSIX::_exit($?) } }
my ($script, $modules, $limit) = @ARGV;
open my $answers, ">&", \*STDOUT or die $!;
$answers->autoflush(1);
# The modules print their version as they are loaded, so that the runs lack that line.
open STDOUT, ">", "/dev/null" or die $!;
unshift @INC, $modules;
require CorScorer;
while (my $line = <STDIN>) {
    chomp $line;
    my ($out, $err, @arguments) = map { pack "H*", $_ } split / /, $line, -1;
    my $child = fork;
    die "fork: $!" unless defined $child;
    unless ($child) {
        $forked = 1;
        open STDIN, "<", "/dev/null" or die $!;
        open STDOUT, ">", $out or die $!;
        open STDERR, ">", $err or die $!;
        alarm $limit;
        @ARGV = @arguments;
        $0 = $script;
        do $script;
        die $@ if $@;
        exit 0;
    }
    waitpid $child, 0;
    print $answers "$?\n";
}
