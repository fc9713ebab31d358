# frozen_string_literal: true

require "test_helper"
require "json"
require "shellwords"

# `holdup lab jit` with a real Puma: which YJIT ran in which arm, by which processes, is exact. What it is
# worth is not asked on a machine that others use.
class LabJitTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  APP = <<~RUBY
    digits = -> { (1..300).sum { |number| number.to_s.size }.to_s }
    run(->(_env) { [200, {"content-type" => "text/plain"}, [digits.call]] })
  RUBY

  def setup
    File.write(File.join(folder, "config.ru"), APP)
  end

  def command
    %w[lab jit --arms after --url / --rate 100 --seconds 1 --rounds 1 --warm-up 2 --out sweep.json --store
      store.sqlite3 --json -- puma -t 2:2 -p {port} config.ru]
  end

  def test_each_arm_with_the_yjit_that_it_is_named_after
    said = holdup_process(*command, chdir: folder)
    assert_equal 0, said.status, said.err
    arms = JSON.parse(said.out)["jit"]["arms"].to_h { |arm|
      [arm["name"], arm["jit"].values_at("kind", "by")]
    }
    assert_equal({"off" => ["off", nil], "off (again)" => ["off", nil], "after boot" => %w[yjit holdup]},
      arms)
    assert_match(/^It took [\d.]+ (s|min)\.$/, said.err)
    assert_counted(Shellwords.split(said.err[/^The states with intervals: holdup (.*)$/, 1]))
  end

  # Servers that lived for seconds.
  def assert_counted(arguments)
    compared = holdup(
      *arguments.map { |argument|
        argument.sub(/\Astore\.sqlite3\z/,
          File.join(folder, "store.sqlite3"))
      }, now_s: Time.now.to_i + 1
    )
    assert_match(/^- off: [\d,]+ requests, processes: 2, .*\n- after boot: [\d,]+ requests, processes: 1, /,
      compared.out, compared.err)
  end
end
