# frozen_string_literal: true

# Runs tests: parts (unit, models, advice, core, native, races, installs, elsewhere, simulations,
# native_races, integration, runners, puma, servers, quiet, browser, boots, jit, fuzz), files, or the one
# test that a FILE:LINE stands in.
#
#   ruby test/run.rb unit native
#   ruby test/run.rb test/holdup/model/histogram_test.rb:12
#   ruby test/run.rb --thorough native
#     of these, what test/support/thorough.rb leaves to bin/test --thorough
#   ruby test/run.rb --once native
#     of these, what `--thorough native` does not run
#   ruby test/run.rb --nightly boots
#     of these, what both leave to bin/test --nightly, or repeat there for longer
#   ruby test/run.rb --second models
#     of these, what can differ from Ruby to Ruby, as test/support/thorough.rb says
#   HOLDUP_TEST_TIMES=times.tsv ruby test/run.rb unit     # a line with the seconds of each test

RUNNERS = "test/integration/{active_job,good_job,job_backlog,job_report}_test.rb " \
  "test/integration/{sidekiq,sidekiq_blame,sidekiq_deaths,sidekiq_killer,solid_queue}_test.rb " \
  "test/integration/common_gems_jobs_test.rb test/integration/lab_{jit,sweep}_test.rb"
PUMA = "test/integration/{common_gems,connection_pool,jit*,names,puma*,rails*,stats_log,web}_test.rb"
QUIET = "test/integration/{agreement,calls,demo,lab_jobs,lab_sidekiq_vcpu,transactions}_test.rb"

PARTS = {
  "unit" => "test/{holdup,properties,fuzz}/**/*_test.rb test/*_test.rb test/bin/*_test.rb",
  # Units in three: what replays and estimates, what advises by that, and all others. The first two take as
  # long as these.
  "models" => "test/holdup/features/advise/sizing/**/*_test.rb test/properties/sizing/*_test.rb",
  "advice" => "test/holdup/features/advise/rules{,/**/*}_test.rb " \
    "test/holdup/features/advise/{,keep_,recommend_}command_test.rb",
  "core" => "test/{holdup,properties,fuzz}/**/*_test.rb test/*_test.rb test/bin/*_test.rb",
  # Input from outside, from a seed.
  "fuzz" => "test/fuzz/*_test.rb",
  "native" => "test/native/**/*_test.rb",
  # Every way to boot an application with many gems; other parts have the few that cover all pairs.
  "boots" => "test/integration/common_gems{,_jobs}_test.rb",
  "integration" => "test/integration/**/*_test.rb",
  # Of these, those that `bin/test` leaves to `bin/test --thorough`: what installs gems and boots with other
  # versions of them, and all other races of servers.
  "races" => "test/integration/**/*_test.rb",
  "installs" => "test/integration/{first_minutes,gem_install,kubernetes,minimum_versions}_test.rb " \
    "test/integration/{other_version,rails_versions}_test.rb",
  # What has to be right on other systems: on Linux without all that only Linux has, and on a Mac.
  "elsewhere" => "test/holdup/agent/{configuration,finished_figures,fork_hook,guard,log,main_gem}_test.rb " \
    "test/holdup/agent/{probe,recorder,servers,setting_facts,unit_figures,working_folder}_test.rb " \
    "test/holdup/agent/{recorder/open_unit,runtime/measuring_session,runtime/segment_file}_test.rb " \
    "test/holdup/agent/{runtime/ticker,setting_facts/cgroup,setting_facts/cpu_quota}_test.rb " \
    "test/holdup/segment/{directory,reader,ring_slice,slot,slowest_list}_test.rb " \
    "test/native/{extension/fork,hook/lock_ends,segment/segment}_test.rb " \
    "test/native/unit/{figures_methods,measurement,open_unit,transactions,unit}_test.rb",
  "simulations" => "test/properties/{sizing/interval_coverage,simulated_experiments}_test.rb",
  "native_races" => "test/native/**/*_test.rb",
  # Integration in four: job runners and what stands on them, Puma and what stands on it, what compares times
  # that it measures, the rest.
  "runners" => RUNNERS,
  "puma" => PUMA,
  "quiet" => QUIET,
  "servers" => "test/integration/**/*_test.rb",
  "browser" => "test/browser/*_test.rb",
  # Of integration, those that differ from Ruby to Ruby: every one has a YJIT of its own.
  "jit" => "test/integration/jit{,_lives,_memory,_turns}_test.rb"
}.freeze

# Most of their time is spent in Ruby of their own process.
COMPUTING = %w[models advice core fuzz simulations].freeze

# @return [Regexp] names of the tests that a line stands in or follows
def named_at(file, line)
  marks = /(?:(?:linux|one_ruby|thorough|nightly|repeated|repeated_nightly|repeated_everywhere) )*/
  head = /\A\s*(?:#{marks}def (test_\w+)|define_method\(:"(test_.+)"\))/
  heads = File.readlines(file).first(line).grep(head) { Regexp.last_match.captures.compact.first }
  abort "#{file}:#{line} stands in no test" if heads.empty?
  heads.last.gsub(/#\{[^}]*\}/, "\\w+")
end

# @return [Array<String>] a pattern for each choice of its braces
def choices(pattern)
  head, list, tail = pattern.match(/\A(.*?)\{(.*?)\}(.*)\z/)&.captures
  return [pattern] unless list
  list.split(",", -1).flat_map { |choice| choices("#{head}#{choice}#{tail}") }
end

# A test that has moved would be left out without a word.
# @return [Array<String>] the files of a part
def part(name)
  files = PARTS[name].split.flat_map { |pattern| choices(pattern) }.flat_map do |pattern|
    found = Dir[pattern]
    abort "no test of the part #{name} is at #{pattern}" if found.empty?
    found
  end
  case name
  when "core" then files - part("models") - part("advice")
  when "servers" then files - part("runners") - part("puma") - part("quiet")
  when "races" then files - part("boots") - part("installs")
  else files
  end
end

thorough = ARGV.delete("--thorough")
nightly = ARGV.delete("--nightly")
second = ARGV.delete("--second")
once = ARGV.delete("--once")
whole_parts = ARGV.all? { |argument| PARTS.key?(argument) }
compute = ARGV.intersect?(COMPUTING)

PARTS.each_key { |name| part(name) }
names = []
files = ARGV.flat_map do |argument|
  next part(argument) if PARTS.key?(argument)
  file, line = argument.split(":")
  unless File.file?(file)
    abort "no such test: #{argument}; give a file, FILE:LINE, or one of #{PARTS.keys.join(", ")}"
  end
  names << named_at(file, Integer(line)) if line
  [file]
end
abort "no tests found" if files.empty?

# A shell ignores it for what it starts in the background, and so would all that tests start and interrupt.
trap("INT", "DEFAULT")
# What tests start has the garbage collector of its users, see bin/support/lanes.sh.
ENV.delete_if { |name, _| name.start_with?("RUBY_GC_") }
ARGV.replace(names.empty? ? [] : ["--name", "/\\A(#{names.join("|")})\\z/"])
$LOAD_PATH.unshift(File.expand_path(__dir__), File.expand_path("../lib", __dir__))
require "test_helper"
RubyVM::YJIT.enable if compute
# A file that is named runs whole.
Thorough.run = :quick if whole_parts
Thorough.run = :once if once
Thorough.run = :thorough if thorough
Thorough.run = :nightly if nightly
Thorough.second = true if second
Thorough.on_linux = false if ENV["HOLDUP_WITHOUT_LINUX"] || !RUBY_PLATFORM.include?("linux")
files.uniq.sort.each { |file| require File.expand_path(file) }
