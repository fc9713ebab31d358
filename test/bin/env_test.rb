# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/support/env.sh, which each script of bin/ begins with.
class EnvTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  KNOWN = Holdup::ChildEnvironment
  # Lets go of another bundle: the application's, say, from whose `bundle exec` a script is called.
  OUTER = {**[*KNOWN::OF_BUNDLER, *KNOWN::BUNDLERS_OWN].to_h { |name| [name, "/outer"] }, "RUBYOPT" => "-W0",
           "RUBYLIB" => "/outer", "GEM_HOME" => "/outer", "GEM_PATH" => "/outer",
           "BUNDLER_ORIG_BUNDLE_GEMFILE" => "/outer"}.freeze

  # @return [Hash{String => String}]
  def environment(script, env)
    said, status = Open3.capture2e({**OtherBundle::NONE, **env}, "bash", "-euc",
      "source bin/support/env.sh; #{script}; env -0", chdir: ROOT)
    assert_predicate status, :success?, said
    said.split("\0").to_h { |pair| pair.split("=", 2) }
  end

  def test_nothing_of_another_bundle_is_left
    found = environment("use_ruby #{RbConfig.ruby}", OUTER)
    assert_empty found.select { |_, value| value.start_with?("/outer") }
    assert_equal File.join(ROOT, "Gemfile"), found["BUNDLE_GEMFILE"]
    refute_includes found, "RUBYOPT"
  end

  def test_another_bundle_does_not_hide_the_ruby
    broken = {**OUTER, "RUBYOPT" => "-r/outer/bundler/setup", "HOLDUP_RUBY" => RbConfig.ruby}
    assert_equal RbConfig.ruby, environment("FOUND=$(find_ruby); export FOUND", broken)["FOUND"]
  end
end
