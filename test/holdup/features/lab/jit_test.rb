# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/swept"

class Holdup::Lab::JitTest < Minitest::Test
  include CommandLine
  include JitArms

  Jit = Holdup::Lab::Jit

  def ruby_with(capability) = Holdup::RubyVersion.here.with(capability => true)

  def ruby_without(capability) = Holdup::RubyVersion.here.with(capability => false)

  def built(yjit: true, zjit: true, zjit_enables: true) = Jit::BuiltJits.new(yjit:, zjit:, zjit_enables:)

  def test_zjit_has_an_arm_of_its_own
    arms = arms(built: built)
    assert_equal ["off", "at boot", "after boot", "ZJIT at boot"], arms.map(&:name)
    assert_equal %w[off yjit yjit zjit], arms.map { |arm| Jit.kind(arm) }
    assert_equal({"RUBY_YJIT_ENABLE" => "0", "RUBY_ZJIT_ENABLE" => "1"}, arms.last.env)
    assert_equal ["off", "after boot"], arms(built: built, states: ["after boot"]).map(&:name)
  end

  # `config.jit = :on` switches on the JIT that is there.
  def test_zjit_alone
    arms = arms(built: built(yjit: false))
    assert_equal ["off", "ZJIT at boot", "ZJIT after boot"], arms.map(&:name)
    assert_equal %w[off zjit zjit], arms.map { |arm| Jit.kind(arm) }
    assert_equal "on", arms.last.env["HOLDUP_JIT"]
    assert_equal ["off", "ZJIT at boot"], arms(built: built(yjit: false, zjit_enables: false)).map(&:name)
  end

  # An option of YJIT would end a Ruby without it, and ZJIT's start it.
  def test_little_memory_for_zjit_alone
    limited = arms(built: built(yjit: false), mem_size: 32).last
    assert_equal ["ZJIT at boot, 32 MiB", "-W1 --zjit-mem-size=32", "1"],
      [limited.name, *limited.env.values_at("RUBYOPT", "RUBY_ZJIT_ENABLE")]
  end

  # The shell's own are unset for another Ruby, the arm's are not.
  def test_each_arm_of_another_ruby_has_its_jit_whatever_the_shell_has
    other = Jit::OtherRuby.new(path: "/opt/bin/ruby", version: "4.0.5", variables: {}, built: built)
    shell = {"RUBY_YJIT_ENABLE" => "1", "RUBY_ZJIT_ENABLE" => "0", "PATH" => "/bin"}
    arms = Jit.arms(shell, rubies: [other], built: built(zjit: false)).last(4)
    names = ["off", "at boot", "after boot", "ZJIT at boot"].map { |name| "#{name}, Ruby 4.0.5" }
    assert_equal names, arms.map(&:name)
    assert_equal %w[0 1 0 0], arms.map { |arm| arm.env["RUBY_YJIT_ENABLE"] }
    assert_equal [nil, nil, nil, "1"], arms.map { |arm| arm.env["RUBY_ZJIT_ENABLE"] }
  end

  def test_off_on_at_boot_and_on_after_boot
    off, boot, after = arms
    assert_equal ["off", "at boot", "after boot"], arms.map(&:name)
    assert_equal %w[0 off], off.env.values_at("RUBY_YJIT_ENABLE", "HOLDUP_JIT")
    assert_equal({"RUBY_YJIT_ENABLE" => "1"}, boot.env)
    assert_equal %w[0 on], after.env.values_at("RUBY_YJIT_ENABLE", "HOLDUP_JIT")
  end

  def test_little_memory_in_the_words_of_this_ruby
    assert_match(/\A-W1 --yjit-disable --yjit-(exec-)?mem-size=\d+\z/, arms(mem_size: 32).last.env["RUBYOPT"])
    code_alone = ruby_without(:limits_total)
    assert_equal "--yjit-disable --yjit-exec-mem-size=10", Jit.limit(nil, 32, ruby: code_alone)
    assert_equal "--yjit-disable --yjit-mem-size=32", Jit.limit(nil, 32, ruby: ruby_with(:limits_total))
  end

  def test_little_memory_leaves_out_the_jit_of_the_user
    env = {"RUBYOPT" => "-W1 --zjit --zjit-mem-size=64 --yjit-call-threshold=5"}
    assert_match(/\A-W1 --yjit-disable --yjit-(exec-)?mem-size=\d+\z/,
      Jit.arms(env, mem_size: 32).last.env["RUBYOPT"])
  end

  # Bundler would write that lockfile for the other Gemfile.
  def test_another_bundle_has_no_lockfile_of_this_one
    bundled = {"BUNDLE_GEMFILE" => "/app/Gemfile", "BUNDLE_LOCKFILE" => "/app/Gemfile.lock",
               "BUNDLER_SETUP" => "/gems/bundler/setup", "RUBY_ZJIT_ENABLE" => "1"}
    other = Jit::OtherRuby.new(path: "/opt/bin/ruby", version: "3.3.8",
      variables: {"BUNDLE_GEMFILE" => "/app/next.gemfile"}, built: built)
    env = other.env(bundled)
    assert_equal "/app/next.gemfile", env["BUNDLE_GEMFILE"]
    %w[BUNDLE_LOCKFILE BUNDLER_SETUP RUBY_ZJIT_ENABLE].each do |name|
      assert env.key?(name), name
      assert_nil env[name], name
    end
  end

  def test_says_why_another_ruby_does_not_run
    Dir.mktmpdir do |folder|
      path = File.join(folder, "ruby")
      File.write(path, "#!/bin/sh\necho 'libruby.so.3.4: not found' >&2\nexit 127\n")
      File.chmod(0o755, path)
      error = assert_raises(Holdup::UsageError) { Jit::OtherRuby.parse(path) }
      assert_match(/it said: libruby.so.3.4: not found/, error.message)
    end
  end

  def test_another_ruby_comes_first_and_without_our_bundler
    ruby = Jit::OtherRuby.parse("#{RbConfig.ruby},BUNDLE_PATH=vendor/other")
    last = arms(rubies: [ruby]).last
    assert_equal [
      "off",
      "at boot",
      "after boot",
      "off, Ruby #{RUBY_VERSION}",
      "at boot, Ruby #{RUBY_VERSION}",
      "after boot, Ruby #{RUBY_VERSION}"
    ],
      arms(rubies: [ruby]).map(&:name)
    assert_equal "after boot, Ruby #{RUBY_VERSION}", last.name
    assert_equal ["#{File.dirname(RbConfig.ruby)}:/bin", nil, nil, "vendor/other"],
      last.env.values_at("PATH", "RUBYOPT", "BUNDLER_SETUP", "BUNDLE_PATH")
    ["/none/ruby", "#{RbConfig.ruby},BUNDLE", "/bin/false"].each do |text|
      assert_match(/--ruby can't be .*give the path of a ruby/,
        assert_raises(Holdup::UsageError) { Jit::OtherRuby.parse(text) }.message)
    end
  end

  # As version managers lay them out: one beside the other.
  def installed(*rubies)
    Dir.mktmpdir do |folder|
      rubies.each { |name, version| ruby(File.join(folder, name, "bin"), version) }
      yield Jit::InstalledRubies.new({"PATH" => "#{folder}/one/bin:#{folder}/none"},
        ours: "#{folder}/ours/bin/ruby"), folder
    end
  end

  # A program that answers as that Ruby would, and its bundler; without a version one that has no JIT.
  def ruby(folder, version)
    FileUtils.mkdir_p(folder)
    ruby = version ? "printf '#{version} yjit'" : "printf 3.4.9"
    {"ruby" => ruby, "bundle" => "exit 0"}.each do |name, script|
      File.write(File.join(folder, name), "#!/bin/sh\n#{script}\n")
      File.chmod(0o755, File.join(folder, name))
    end
  end

  def test_finds_the_rubies_that_are_installed
    installed(["ours", RUBY_VERSION], %w[one 3.4.100], %w[other 3.3.99], %w[again 3.3.99],
      ["old", nil]) do |rubies, folder|
      assert_equal [["3.3.99", "#{folder}/again/bin/ruby"], ["3.4.100", "#{folder}/one/bin/ruby"]],
        rubies.call.map { |ruby| [ruby.version, ruby.path] }
    end
    installed(["ours", RUBY_VERSION]) { |rubies|
      assert_match(/finds no other Ruby: there is none next to/,
        assert_raises(Holdup::UsageError) { rubies.call }.message)
    }
  end

  def test_a_ruby_without_the_gems_is_named
    installed(%w[other 3.3.99]) do |rubies, folder|
      File.write("#{folder}/other/bin/bundle", "#!/bin/sh\nexit 1\n")
      refusal = /can't run what is in this folder: `bundle check` fails; give one with what it needs/
      error = assert_raises(Holdup::UsageError) { rubies.call }
      assert_match(/other\/bin\/ruby \(3.3.99\) #{refusal}/, error.message)
    end
  end

  def test_the_arms_in_a_store
    one = result(*jit_plan.arms.map { |arm| reading(arm, setting: {"jit" => arm.setting.name}) },
      plan: jit_plan)
    states = Jit::ArmStates.new(one)
    assert_equal jit_plan.arms.map { |arm| arm.setting.name }.uniq, states.to_h.keys
    assert_equal states.to_h.values.uniq, states.to_h.values
    assert_match(
      /\Aholdup compare --store 'a'\\''b' --format markdown --states off=\h{12} 'at boot=\h{12}' 'after/,
      states.command("a'b")
    )
    assert_includes footer(one, store: "memory:"), "The states with intervals: #{states.command("memory:")}\n"
    assert_equal "Everything is in sweep.json.\nIt took 0.\n", footer(one)
  end

  # @return [String] what the command says beside the report
  def footer(result, **options)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {"HOME" => "/"},
      clock: CommandLine::Still.new(now_s: 0))
    lab = Struct.new(:call).new(result)
    lab.define_singleton_method(:new) { |*, **| self }
    Jit::Command.new(console:, ledger: ledger(plan: jit_plan), lab:, **options).run
    console.err.string
  end
end
