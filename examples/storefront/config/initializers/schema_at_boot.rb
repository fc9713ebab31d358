# frozen_string_literal: true

# Models read their tables at boot. Left to the first request, a request would wait for the warehouse's only
# connection with Active Record's schema lock in its hands while the warehouse sync held the connection and
# waited for that lock.
Rails.application.config.after_initialize do
  ActiveRecord::Base.descendants.reject(&:abstract_class?).each(&:load_schema)
end
