# frozen_string_literal: true

# calls_added.rb BASE ARM ROUNDS: prints the ns that a call of ARM takes over one of BASE, in turn in this
# process.

require "json"
require "call_arms"
require "paired_batches"
require "tools"

base, arm, rounds = ARGV[0], ARGV[1], ARGV[2].to_i
tool = Bench::Tools.find("holdup")
tool.start
Holdup::Probe.enter
ActiveSupport::Notifications.unsubscribe(Bench::CallArms::EVENT)
arms = Bench::CallArms.new(Holdup.recorder)
arms.subscribe

puts JSON.generate(Bench::PairedBatches.added(arms.find(base), arms.find(arm), rounds))
$stdout.flush
tool.stop
exit!(0)
