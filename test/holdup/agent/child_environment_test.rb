# frozen_string_literal: true

require "test_helper"
require "holdup/agent/child_environment"

class Holdup::ChildEnvironmentTest < Minitest::Test
  WAS_NOT_SET = Holdup::ChildEnvironment::WAS_NOT_SET

  def of(env) = Holdup::ChildEnvironment.new(env)

  # @return [String, nil] RUBYOPT of a child without the JIT of this one
  def without_jit(text)
    env = {"RUBYOPT" => text}
    applied(env, of(env).without_jit)["RUBYOPT"]
  end

  def test_a_child_has_no_variable_of_a_jit
    env = {"RUBY_YJIT_ENABLE" => "1", "RUBY_ZJIT_ENABLE" => "1", "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.1"}
    assert_equal({"RUBY_YJIT_ENABLE" => nil, "RUBY_ZJIT_ENABLE" => nil}, of(env).without_jit.to_h)
  end

  def test_what_is_given_for_the_child_counts
    env = {"RUBY_ZJIT_ENABLE" => "1"}
    assert_equal({"RUBY_ZJIT_ENABLE" => nil, "RUBY_YJIT_ENABLE" => "0"},
      of(env).without_jit.with("RUBY_YJIT_ENABLE" => "0").to_h)
  end

  def test_a_child_has_no_option_of_a_jit
    %w[--jit --yjit --zjit --rjit --yjit-disable --zjit-disable --zjit-mem-size=64 --yjit-stats=quiet
      --zjit-call-threshold=2 --rjit-stats --yjit-exec-mem-size=8].each do |option|
      assert_nil without_jit(option), option
      assert_equal "-W0 -rset", without_jit("-W0 #{option}  -rset"), option
    end
  end

  def test_a_child_has_no_feature_of_a_jit
    {"--enable=yjit" => nil, "--enable-zjit" => nil, "--disable=yjit -w" => "-w", "--enable yjit" => nil,
     "--enable y -w" => "-w", "--enable=jit,frozen-string-literal" => "--enable=frozen-string-literal",
     "--disable yjit,gems" => "--disable=gems", "--enable=all" => nil,
     "--disable=all" => "--disable=all"}.each do |given, left|
      left.nil? ? assert_nil(without_jit(given), given) : assert_equal(left, without_jit(given), given)
    end
  end

  # Ruby splits RUBYOPT at white space alone, so quotes are part of the words, and a switch may lack its dash.
  def test_other_options_stay_as_ruby_reads_them
    ["-W:no-deprecated -I /opt/lib", "-r --yjit", "w -rset", "-wr --yjit", %(-r"set" -W0), "-I/x/yjit",
      "-ryjit-tools", "--encoding utf-8 -E ascii", "--disable=gems", "-yjit", "--parser prism"].each do |text|
      assert_equal text, without_jit(text)
    end
    assert_equal "-W0 -d", without_jit("-W0\t--yjit\n-d")
  end

  def test_no_rubyopt_stays_none
    refute_includes of({}).without_jit.without_measuring.without_bundle.to_h, "RUBYOPT"
  end

  def test_bytes_that_are_no_text_pass
    text = "-r\xff --yjit"
    assert_equal "-r\xff".b, without_jit(text).b
  end

  def test_what_exec_loads_is_left_out
    ["-W0 -r/gems/holdup/agent/exec_boot -rset", "-W0 -r /gems/holdup/agent/exec_boot -rset"].each do |text|
      assert_equal "-W0 -rset", of({"RUBYOPT" => text}).without_measuring.to_h["RUBYOPT"]
    end
  end

  # What Bundler 4 exports under `bundle exec` in a shell that had none of it.
  BUNDLED = {
    "BUNDLE_BIN_PATH" => "/gems/bundler/exe/bundle", "BUNDLE_GEMFILE" => "/app/Gemfile",
    "BUNDLE_LOCKFILE" => "/app/Gemfile.lock", "BUNDLER_SETUP" => "/gems/bundler/lib/bundler/setup",
    "BUNDLER_VERSION" => "4.0.1", "GEM_HOME" => "/app/vendor/ruby/4.0.0", "GEM_PATH" => "",
    "RUBYLIB" => "/gems/bundler/lib:/mine", "RUBYOPT" => "-W0 -r/gems/bundler/lib/bundler/setup",
    "BUNDLER_ORIG_BUNDLE_BIN_PATH" => WAS_NOT_SET, "BUNDLER_ORIG_BUNDLE_GEMFILE" => WAS_NOT_SET,
    "BUNDLER_ORIG_BUNDLE_LOCKFILE" => WAS_NOT_SET, "BUNDLER_ORIG_GEM_HOME" => "/home/me/gems",
    "BUNDLER_ORIG_GEM_PATH" => WAS_NOT_SET, "BUNDLER_ORIG_RUBYOPT" => "-W0", "BUNDLE_PATH" => "vendor"
  }.freeze

  # @return [Hash{String => String}] the environment that a child has
  def applied(env, changes) = {**env, **changes.to_h}.compact

  def test_without_the_bundle_a_child_has_what_the_user_had
    users = {"GEM_HOME" => "/home/me/gems", "RUBYLIB" => "/mine", "RUBYOPT" => "-W0",
             "BUNDLE_PATH" => "vendor"}
    assert_equal(users, applied(BUNDLED, of(BUNDLED).without_bundle))
  end

  def test_another_bundle_gets_no_lockfile_of_this_one
    child = applied(BUNDLED, of(BUNDLED).other_bundle("/other/Gemfile"))
    assert_equal "/other/Gemfile", child["BUNDLE_GEMFILE"]
    assert_empty child.keys.grep(/\ABUNDLE(R_|_LOCKFILE|_BIN)/)
    assert_equal "-W0", child["RUBYOPT"]
  end

  def test_the_users_own_gemfile_counts_again
    env = {**BUNDLED, "BUNDLER_ORIG_BUNDLE_GEMFILE" => "/app/gemfiles/next.gemfile"}
    child = applied(env, of(env).without_bundle)
    assert_equal ["/app/gemfiles/next.gemfile", nil], child.values_at("BUNDLE_GEMFILE", "BUNDLE_LOCKFILE")
    assert_nil applied(env, of(env).other_bundle(nil))["BUNDLE_GEMFILE"]
  end

  def test_without_bundler_a_gemfile_is_the_users
    env = {"BUNDLE_GEMFILE" => "/app/other.gemfile", "BUNDLE_LOCKFILE" => "/app/Gemfile.lock"}
    assert_equal({"BUNDLE_GEMFILE" => "/app/other.gemfile"}, applied(env, of(env).without_bundle))
    bundled = {**env, "RUBYOPT" => "-rbundler/setup"}
    assert_empty applied(bundled, of(bundled).without_bundle)
  end

  def test_it_knows_each_variable_that_this_bundler_exports
    exported = Bundler::EnvironmentPreserver::BUNDLER_KEYS - %w[PATH RUBYLIB RUBYOPT]
    known = Holdup::ChildEnvironment
    assert_empty exported - known::OF_BUNDLER - known::CHANGED_BY_BUNDLER
  end
end
